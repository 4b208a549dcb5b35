import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The environment variables of a process. */
export type AwsEnvironment = Readonly<Record<string, string | undefined>>

/** The keys of a profile. */
export type AwsProfile = Readonly<Record<string, string>>

/** The profile of `~/.aws/config` and `~/.aws/credentials` with the same keys; those of the credentials file count more. */
export function readAwsProfile(env: AwsEnvironment, name: string): AwsProfile {
  const home = env['HOME'] ?? env['USERPROFILE'] ?? homedir()
  const config = env['AWS_CONFIG_FILE'] ?? join(home, '.aws', 'config')
  const credentials = env['AWS_SHARED_CREDENTIALS_FILE'] ?? join(home, '.aws', 'credentials')
  const configSection = name === 'default' ? name : `profile ${name}`
  return { ...section(config, configSection), ...section(credentials, name) }
}

/** A section of an INI file. A file that is missing or cannot be read has none. */
function section(file: string, name: string): AwsProfile {
  const keys: Record<string, string> = {}
  let isOurs = false
  for (const line of readLines(file)) {
    const [, heading] = /^\s*\[\s*(.*?)\s*\]/.exec(line) ?? []
    if (heading !== undefined) isOurs = heading.replace(/\s+/g, ' ') === name
    // Indented lines belong to a key such as `s3`, not to the section.
    const [, key, value] = /^([\w-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (isOurs && key !== undefined && value !== undefined && !/^[#;]/.test(line)) keys[key] = value
  }
  return keys
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/)
  } catch {
    return []
  }
}

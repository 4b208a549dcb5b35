import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ObjectStoreRefused } from '../../domain/object-store/object-store.ts'
import { type AwsEnvironment, readAwsProfile } from './aws-files.ts'

/** Secret: never part of a message, a log or a file. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | undefined
}

/**
 * Credentials as the tools of AWS find them: a named profile, the environment, the default profile. Read anew by each call, since short-lived
 * ones are replaced while a crawl runs.
 * @throws ObjectStoreRefused if there are none
 */
export async function readS3Credentials(env: AwsEnvironment, profile?: string): Promise<S3Credentials> {
  const name = profile ?? env['AWS_PROFILE']
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = env
  if (name === undefined && AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY)
    return {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      sessionToken: AWS_SESSION_TOKEN,
    }
  const keys = readAwsProfile(env, name ?? 'default')
  if (keys['aws_access_key_id'] && keys['aws_secret_access_key'])
    return {
      accessKeyId: keys['aws_access_key_id'],
      secretAccessKey: keys['aws_secret_access_key'],
      sessionToken: keys['aws_session_token'],
    }
  if (keys['credential_process']) return runCredentialProcess(keys['credential_process'], env)
  throw new ObjectStoreRefused(
    'credentials-missing',
    `no credentials for the object store: neither the environment nor the profile "${name ?? 'default'}" has them. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run "aws configure"`,
  )
}

/** The program that a profile names, for example one that signs in with SSO. Its output may be a secret: errors do not repeat it. */
async function runCredentialProcess(command: string, env: AwsEnvironment): Promise<S3Credentials> {
  try {
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command], { env, timeout: 60_000 })
    const keys: Record<string, string | undefined> = JSON.parse(stdout)
    if (keys['AccessKeyId'] && keys['SecretAccessKey'])
      return {
        accessKeyId: keys['AccessKeyId'],
        secretAccessKey: keys['SecretAccessKey'],
        sessionToken: keys['SessionToken'],
      }
  } catch {
    // The message below is the same for a program that fails and for one whose output has no keys.
  }
  throw new ObjectStoreRefused(
    'credentials-missing',
    'the credential_process of the AWS profile did not return credentials: run it by hand to see why',
  )
}

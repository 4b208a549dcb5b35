import { ConfigurationError } from '../../base/crawl-error.ts'
import type { Settings } from './config-schema.ts'

type CredentialSettings = Settings['http']['credentials']
type Secret = NonNullable<CredentialSettings[string]['bearer']>

/**
 * The credentials of the settings with the secrets of environment variables.
 * @throws ConfigurationError for a variable that is not set
 */
export function hostCredentials(settings: CredentialSettings, environment: NodeJS.ProcessEnv = process.env) {
  const read = (secret: Secret, host: string) => {
    const text = typeof secret === 'string' ? secret : environment[secret.env]
    if (text !== undefined && text !== '') return text
    throw new ConfigurationError(
      'SETTING_INVALID',
      `http.credentials: ${host} needs the environment variable ${typeof secret === 'string' ? '' : secret.env}, which is not set`,
    )
  }
  return Object.fromEntries(
    Object.entries(settings).map(([host, { basic, bearer, headers = {} }]) => [
      host.toLowerCase(),
      {
        ...(basic !== undefined && { basic: { ...basic, password: read(basic.password, host) } }),
        ...(bearer !== undefined && { bearer: read(bearer, host) }),
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, secret]) => [name, read(secret, host)]),
        ),
      },
    ]),
  )
}

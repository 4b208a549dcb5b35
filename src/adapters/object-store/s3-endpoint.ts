import { ConfigurationError } from '../../base/crawl-error.ts'
import { printable } from '../../base/printable.ts'
import { type AwsEnvironment, readAwsProfile } from './aws-files.ts'

/** Where an object store is and how its buckets are addressed. What is not set comes from the environment and the files of AWS. */
export interface ObjectStoreSettings {
  /** `https://s3.example.org`. @default Amazon S3 in `region` */
  readonly endpoint?: string
  /** @default 'us-east-1' */
  readonly region?: string
  /** `https://host/bucket/key` instead of `https://bucket.host/key`. @default true with an endpoint of your own */
  readonly pathStyle?: boolean
  /** Section of `~/.aws/config` and `~/.aws/credentials`. @default AWS_PROFILE, or `default` */
  readonly profile?: string
}

/** The address of a bucket. */
export interface S3Endpoint {
  readonly region: string
  /** `https://bucket.host` or `https://host/bucket`, without a slash at the end. */
  readonly bucketUrl: string
  /** For people. */
  readonly origin: string
}

/** @throws ConfigurationError with code SETTING_INVALID */
export function findS3Endpoint(
  bucket: string,
  settings: ObjectStoreSettings,
  env: AwsEnvironment,
): S3Endpoint {
  const profile = readAwsProfile(env, settings.profile ?? env['AWS_PROFILE'] ?? 'default')
  const region =
    settings.region || env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || profile['region'] || 'us-east-1'
  const own =
    settings.endpoint || env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || profile['endpoint_url']
  const endpoint = endpointUrl(own ?? amazonEndpoint(region))
  // The certificate of Amazon is for one label before its name.
  const isPathStyle = settings.pathStyle ?? (own !== undefined || bucket.includes('.'))
  const base = endpoint.pathname.replace(/\/+$/, '')
  const bucketUrl = isPathStyle
    ? `${endpoint.origin}${base}/${bucket}`
    : `${endpoint.protocol}//${bucket}.${endpoint.host}${base}`
  return { region, bucketUrl, origin: endpoint.origin }
}

function amazonEndpoint(region: string): string {
  return `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

function endpointUrl(text: string): URL {
  const url = URL.parse(text)
  const isValid =
    url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}` === ''
  if (isValid) return url
  // A user name and a password are not repeated.
  const shown = printable(text.replace(/\/\/[^/]*@/, '//…@'))
  throw new ConfigurationError(
    'SETTING_INVALID',
    `the endpoint of the object store must be like https://s3.example.org, without user and password, not ${shown}. It comes from objectStore.endpoint, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or endpoint_url of the AWS profile`,
  )
}

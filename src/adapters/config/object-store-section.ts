import { booleanValue, docs, stringValue } from './config-values.ts'

/** The keys of `objectStore`. Credentials are not among them: they come from the environment and the files of AWS. */
export function objectStoreSection() {
  return {
    endpoint: stringValue(/^https?:\/\/[^\s@]+$/i, 'a URL like https://s3.example.org')
      .exactOptional()
      .register(docs, {
        description:
          'URL of the store. Default: `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, `endpoint_url` of the AWS profile, or Amazon S3.',
      }),
    region: stringValue(/^[\w-]+$/, 'the name of a region, like eu-central-1')
      .exactOptional()
      .register(docs, {
        description:
          'Region of the buckets. Default: `AWS_REGION`, `AWS_DEFAULT_REGION`, `region` of the AWS profile, or `us-east-1`.',
      }),
    pathStyle: booleanValue().exactOptional().register(docs, {
      description:
        'Name the bucket in the path (`https://host/bucket`), not in the host (`https://bucket.host`). Default: `true` with an endpoint, `false` for Amazon S3.',
    }),
    profile: stringValue(/^[^\s\p{Cc}]+$/u, 'the name of a profile, without spaces')
      .exactOptional()
      .register(docs, {
        description:
          'Profile of `~/.aws/config` and `~/.aws/credentials`. Default: `AWS_PROFILE`; without it, the credentials of the environment, or the profile `default`.',
      }),
  }
}

import { execFileSync } from 'node:child_process'
import { AwsClient } from 'aws4fetch'
import { S3_SERVER } from './require-s3-server.ts'

/** What a user of the S3 server may do with the bucket. */
export type S3Permission = 's3:DeleteObject' | 's3:GetObject' | 's3:ListBucket' | 's3:PutObject'

export const ALL_PERMISSIONS: readonly S3Permission[] = [
  ...(['s3:DeleteObject', 's3:GetObject', 's3:ListBucket', 's3:PutObject'] as const),
]

/** The users of an S3 server, next to its administrator. The policy of the bucket has their permissions. */
export class S3Users {
  readonly #endpoint: string
  readonly #bucket: string
  readonly #administrator: { readonly accessKeyId: string; readonly secretAccessKey: string }
  readonly #permissions = new Map<string, readonly S3Permission[]>()

  constructor(
    endpoint: string,
    bucket: string,
    administrator: { readonly accessKeyId: string; readonly secretAccessKey: string },
  ) {
    this.#endpoint = endpoint
    this.#bucket = bucket
    this.#administrator = administrator
  }

  /** Adds a user, or changes the permissions of one. Returns the variables that give access. */
  async set(name: string, permissions: readonly S3Permission[]): Promise<Record<string, string>> {
    const secret = `${name}-secret`
    if (!this.#permissions.has(name))
      this.#administrate('create-user', ...['--access', name, '--secret', secret, '--role', 'user'])
    this.#permissions.set(name, permissions)
    await this.#putPolicy()
    return { AWS_ACCESS_KEY_ID: name, AWS_SECRET_ACCESS_KEY: secret }
  }

  async remove(name: string): Promise<void> {
    this.#permissions.delete(name)
    await this.#putPolicy()
    this.#administrate('delete-user', '--access', name)
  }

  #administrate(...command: readonly string[]): void {
    const { accessKeyId, secretAccessKey } = this.#administrator
    const access = ['--access', accessKeyId, '--secret', secretAccessKey, '--endpoint-url', this.#endpoint]
    execFileSync(S3_SERVER, ['admin', ...access, ...command], { stdio: ['ignore', 'ignore', 'pipe'] })
  }

  async #putPolicy(): Promise<void> {
    const client = new AwsClient({ ...this.#administrator, service: 's3', region: 'us-east-1' })
    const objects = `arn:aws:s3:::${this.#bucket}`
    // A statement without permissions is not valid.
    const granted = [...this.#permissions].filter(([, permissions]) => permissions.length > 0)
    const Statement = granted.flatMap(([name, permissions]) =>
      permissions.map((Action) => ({
        ...{ Effect: 'Allow', Principal: { AWS: [name] }, Action },
        Resource: Action === 's3:ListBucket' ? objects : `${objects}/*`,
      })),
    )
    const isEmpty = Statement.length === 0
    const response = await client.fetch(`${this.#endpoint}/${this.#bucket}?policy`, {
      method: isEmpty ? 'DELETE' : 'PUT',
      ...(!isEmpty && { body: JSON.stringify({ Version: '2012-10-17', Statement }) }),
    })
    if (!response.ok) throw new Error(`the policy was rejected: ${await response.text()}`)
  }
}

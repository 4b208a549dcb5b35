/** A decision not to go on with an item or a request, with its reason; it is counted. Returned by pipelines and hooks. */
export class Drop {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** From a pipeline: this item is not kept. From a hook: this request is not asked, this page is not handled. */
export function drop(reason: string): Drop {
  return new Drop(reason)
}

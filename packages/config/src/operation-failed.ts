/** A failed or refused operation, said to the operator in one sentence; a command of the CLI that ends with it exits with 1. */
export class OperationFailed extends Error {
  override readonly name = 'OperationFailed'
}

/** One sentence that names the setting whose value cannot be used; `why` is a sentence without a secret, or its error. */
export function unusable(setting: string, why: unknown): OperationFailed {
  return new OperationFailed(`${setting} cannot be used. ${why instanceof Error ? why.message : String(why)}`, { cause: why })
}

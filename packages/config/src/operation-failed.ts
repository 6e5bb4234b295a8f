/** A failed or refused operation, said to the operator in one sentence; a command of the CLI that ends with it exits with 1. */
export class OperationFailed extends Error {
  override readonly name = 'OperationFailed'
}

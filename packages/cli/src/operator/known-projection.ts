import { OperationFailed } from '@tidings/config'
import { type AnyProjection, RebuildRefused } from '@tidings/projections'
import { projectionNamed } from '@tidings/service/read-side'

/** Throws one sentence that names what there is. */
export function knownProjection(name: string): AnyProjection {
  try {
    return projectionNamed(name)
  } catch (error) {
    throw new OperationFailed(error instanceof Error ? error.message : String(error))
  }
}

/** A refusal is one sentence for the operator. */
export async function sayingRefusals<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof RebuildRefused ? new OperationFailed(error.message, { cause: error }) : error
  }
}

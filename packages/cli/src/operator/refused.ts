import { OperationFailed } from '@tidings/config'
import { type RefusalCode, Refused } from '@tidings/domain'

/** Turns a refusal into the sentence that the command has for its code; anything else passes. */
export async function sayingWhy<T>(
  work: Promise<T>,
  sentences: Readonly<Partial<Record<RefusalCode, string | ((refused: Refused) => string)>>>,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    const said = error instanceof Refused ? sentences[error.code] : undefined
    if (!(error instanceof Refused) || said === undefined) throw error
    throw new OperationFailed(typeof said === 'string' ? said : said(error), { cause: error })
  }
}

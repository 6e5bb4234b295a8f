/** UTF-8 takes at most four bytes a character. */
const MOST_BYTES = 4_000_000
/** The service takes no longer file. */
export const MOST_CHARACTERS = 1_000_000

type Chosen = Pick<Blob, 'size' | 'arrayBuffer'>

/** The text of a file that somebody chose, or why it is none. A letter that is not UTF-8 would be another one afterwards. */
export async function readChosen(chosen: Chosen): Promise<string | Readonly<{ mistake: 'tooLarge' | 'notText' | 'notRead' }>> {
  if (chosen.size > MOST_BYTES) return { mistake: 'tooLarge' }
  const bytes = await chosen.arrayBuffer().catch(() => null)
  if (bytes === null) return { mistake: 'notRead' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.length > MOST_CHARACTERS ? { mistake: 'tooLarge' } : text
  } catch {
    return { mistake: 'notText' }
  }
}

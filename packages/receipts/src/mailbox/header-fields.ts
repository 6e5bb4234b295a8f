import PostalMime from 'postal-mime'

/** The fields of a block, by their names in lower case; the first of each name counts. */
export type Fields = ReadonlyMap<string, string>

/** Blocks of a report that are looked at: one for the message, one for each recipient, and a mail of ours has one. */
const MAX_BLOCKS = 20

/** Parses the blocks of fields of a report, which are the headers of a mail in form (RFC 3464 §2.1.1, RFC 5965 §3.1). */
export async function fieldBlocks(content: string): Promise<readonly Fields[]> {
  const blocks = content.split(/(?:\r?\n){2,}/, MAX_BLOCKS).filter((block) => block.trim() !== '')
  return await Promise.all(blocks.map(fieldsOf))
}

/** The headers that a mail begins with. */
export async function fieldsOf(mail: string): Promise<Fields> {
  const { headers } = await PostalMime.parse(`${mail.split(/(?:\r?\n){2}/, 1)[0]}\r\n\r\n`)
  return new Map([...headers].reverse().map(({ key, value }) => [key, value]))
}

/** A text as one word of a shell: quotes keep everything in it, and one that ends them stands between two. */
const word = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

type SignedRequest = Readonly<{ url: string; headers: Readonly<Record<string, unknown>>; body: string }>

/** The request as a command that can be pasted into a shell. */
export function curlOf({ url, headers, body }: SignedRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `-H ${word(`${name}: ${String(value)}`)}`)
  return [`curl ${word(url)}`, ...lines, `--data-binary ${word(body)}`].join(' \\\n  ')
}

/** As many as the API takes in one call. */
export const MOST_ADDRESSES = 100

/** The addresses of a text that was pasted: one in each line, or with commas or semicolons between them; each once. */
export function addressesIn(text: string): readonly string[] {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '')
  return [...new Set(parts)]
}

import { createHash } from 'node:crypto'

/** Something that is stored or said, and where. */
export type NamedText = Readonly<{ name: string; text: string }>

/** The ways a code could be written down: as it is, its digits apart, as bytes, and as what gives it away in a moment. */
const formsOf = (code: string): readonly RegExp[] => [
  new RegExp(`(?<![0-9A-Za-z.])${code}(?![0-9A-Za-z])`),
  new RegExp([...code].join('[ ,+]+')),
  new RegExp(Buffer.from(code).toString('hex')),
  new RegExp(createHash('sha256').update(code).digest('hex')),
  new RegExp(createHash('md5').update(code).digest('hex')),
]

/**
 * The places that hold several of the codes: `place: 6 of 6`. Six digits may stand anywhere by chance, once; what leaks one code leaks its
 * neighbours too.
 */
export function placesThatHold(codes: readonly string[], places: readonly NamedText[]): readonly string[] {
  return places.flatMap(({ name, text }) => {
    const found = codes.filter((code) => formsOf(code).some((form) => form.test(text)))
    return found.length > 1 ? [`${name}: ${found.length} of ${codes.length}`] : []
  })
}

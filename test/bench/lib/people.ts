const FIRST =
  'Noa Maya Yael Tamar Adele David Ariel Yosef Moshe Daniel Omer Shira Rachel Sarah James Mary Robert Linda William Olga Dmitri Layla Amir'.split(
    ' ',
  )
const LAST =
  'Cohen Levi Mizrahi Peretz Biton Friedman Katz Ohayon Gabai Smith Johnson Brown Garcia Miller Lopez Wilson Taylor Ivanov Khoury Haddad'.split(
    ' ',
  )
const HEBREW_FIRST = 'נועה מאיה יעל תמר דוד אריאל יוסף משה דניאל אורי איתי עומר ליאור שירה רחל שרה לאה'.split(' ')
const HEBREW_LAST = 'כהן לוי מזרחי פרץ ביטון דהן אברהם פרידמן אזולאי כץ שפירא גולדברג רוזן'.split(' ')
const SYLLABLES = 'ba bi da do ka ki la lo ma mi na no ra ri sa so ta to va zu'.split(' ')
/** The share of the addresses up to which each domain reaches; the rest have one of 24 000 others. */
const DOMAINS = [
  ['gmail.com', 0.25],
  ['yahoo.com', 0.4],
  ['hotmail.com', 0.52],
  ['walla.co.il', 0.62],
  ['outlook.com', 0.72],
  ['netvision.net.il', 0.74],
  ['bezeqint.net', 0.749],
] as const

export type MadeUp = Readonly<{ email: string; phone: string | null; first_name: string; last_name: string }>

/** The same person for the same number: a third with Hebrew names, a quarter at gmail.com, six in ten with a number. */
export function madeUpPerson(number: number): MadeUp {
  const random = mulberry(number)
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? ''
  const syllables = (): string => pick(SYLLABLES) + pick(SYLLABLES) + pick(SYLLABLES)
  const hebrew = random() < 1 / 3
  const [first_name, last_name] = hebrew ? [pick(HEBREW_FIRST), pick(HEBREW_LAST)] : [pick(FIRST), pick(LAST)]
  const local = hebrew ? syllables() : `${first_name}.${last_name}`.toLowerCase()
  const domain = (): string => {
    const at = random()
    const known = DOMAINS.find(([, below]) => at < below)
    return known?.[0] ?? `${syllables()}.${pick(['co.il', 'com', 'org'])}`
  }
  const phone = random() < 0.6 ? `+9725${String(Math.floor(random() * 1e8)).padStart(8, '0')}` : null
  return { email: `${local}${number}@${domain()}`, phone, first_name, last_name }
}

/** Mulberry32 (T. Ettinger, public domain): numbers in [0, 1) that follow from the seed. */
const mulberry = (seed: number) => {
  let state = Math.imul(seed + 1, 0x9e3779b1)
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

import { headline, type Verified, verifyInPage } from '@tidings/evidence/page-verifier'
import { unzipSync } from 'fflate'

/** A file that somebody chose or dropped; `path`: by its folder, with `/`. */
export type Chosen = Readonly<{ path: string; file: File }>

export type Question = Readonly<{ chosen: readonly Chosen[]; trusted: string | null; anchor: readonly Chosen[] }>

/** Why nothing was checked. */
type Refusal = 'noProof' | 'severalProofs' | 'severalAnchors' | 'tooLarge' | 'unreadable' | 'brokenZip' | 'failed'

/** `contacts`: the ids of the first ones. */
type Subject = Readonly<{ workspace: string; contacts: readonly string[] }>

export type ProofVerdict =
  | Readonly<{ refused: Refusal }>
  | Readonly<{ refused?: undefined; said: Verified; first: string; subject: Subject | null }>

class Refused extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal)
    this.refusal = refusal
  }
}

/** Larger files are for the verifiers of the command line: a page has less memory. */
const MOST_BYTES = 50_000_000
/** A file beside the proof in a zip has no more names than these. */
const MOST_ENTRIES = 10_000
const MOST_SHOWN = 20

type Files = ReadonlyMap<string, Uint8Array>
type ZipEntry = Readonly<{ name: string; originalSize: number }>
const WANTED = /(?:^|[/\\])(proof\.json|report\.html)$/

/** Checks what was chosen as verify.mjs does; it never throws. */
export async function checkChosen({ chosen, trusted, anchor }: Question): Promise<ProofVerdict> {
  try {
    const files = await filesOf(chosen)
    const [copy, another] = anchor
    if (another !== undefined) throw new Refused('severalAnchors')
    const anchored = copy === undefined ? null : await bytesOf(copy.file)
    const read = (name: string): Uint8Array => {
      const bytes = files.get(name)
      if (bytes === undefined) throw new Error(`There is no ${name}.`)
      return bytes
    }
    const said = verifyInPage(read, { trusted, readAnchor: anchored === null ? null : () => anchored })
    return { said, first: headline(said), subject: said.checked === null ? null : subjectOf(read('proof.json')) }
  } catch (error) {
    return { refused: error instanceof Refused ? error.refusal : 'failed' }
  }
}

/** What the proof is of; its form was checked. */
function subjectOf(proof: Uint8Array): Subject {
  const { workspace, contacts }: { workspace: { slug: string }; contacts: readonly { contactId: string }[] } = JSON.parse(
    new TextDecoder().decode(proof),
  )
  return { workspace: workspace.slug, contacts: contacts.slice(0, MOST_SHOWN).map(({ contactId }) => contactId) }
}

async function bytesOf(file: File): Promise<Uint8Array> {
  if (file.size > MOST_BYTES) throw new Refused('tooLarge')
  try {
    return new Uint8Array(await file.arrayBuffer())
  } catch {
    throw new Refused('unreadable')
  }
}

/** The files of the proof by their names: those of the folder that has `proof.json`, or of the zip. */
async function filesOf(chosen: readonly Chosen[]): Promise<Files> {
  const [only] = chosen
  if (only !== undefined && chosen.length === 1 && !WANTED.test(only.path)) return unzipped(await bytesOf(only.file))
  const wanted = namesOfProof(chosen.map(({ path }) => path))
  const found = await Promise.all(
    chosen.flatMap(({ path, file }) => {
      const name = wanted.get(path)
      return name === undefined ? [] : [bytesOf(file).then((bytes) => [name, bytes] as const)]
    }),
  )
  return new Map(found)
}

/** By path, the names of the files that one proof has. Where two could be meant, none is taken. */
function namesOfProof(paths: readonly string[]): ReadonlyMap<string, string> {
  const proofs = paths.filter((path) => WANTED.exec(path)?.[1] === 'proof.json')
  const depthOf = (path: string): number => path.split(/[/\\]/).length
  const least = Math.min(...proofs.map(depthOf))
  const [proof, another] = proofs.filter((path) => depthOf(path) === least)
  if (proof === undefined) throw new Refused('noProof')
  const folder = proof.slice(0, -'proof.json'.length)
  const names = ['proof.json', 'report.html'].map((name) => [`${folder}${name}`, name] as const)
  const isTwice = names.some(([path]) => paths.indexOf(path) !== paths.lastIndexOf(path))
  if (another !== undefined || isTwice) throw new Refused('severalProofs')
  return new Map(names)
}

/** A zip says what it has, and how large that is, before it is unpacked: of the proof alone no more than that is unpacked. */
function unzipped(zip: Uint8Array): Files {
  if (zip[0] !== 0x50 || zip[1] !== 0x4b) throw new Refused('noProof')
  const entries: ZipEntry[] = []
  unpack(zip, (entry) => {
    if (entries.length >= MOST_ENTRIES) throw new Refused('tooLarge')
    entries.push(entry)
    return false
  })
  const names = namesOfProof(entries.map(({ name }) => name))
  if (entries.some(({ name, originalSize }) => names.has(name) && originalSize > MOST_BYTES)) throw new Refused('tooLarge')
  const unpacked = unpack(zip, ({ name }) => names.has(name))
  return new Map([...names].flatMap(([path, name]) => (unpacked[path] ? [[name, unpacked[path]] as const] : [])))
}

function unpack(zip: Uint8Array, filter: (entry: ZipEntry) => boolean): Record<string, Uint8Array> {
  try {
    return unzipSync(zip, { filter })
  } catch (error) {
    throw error instanceof Refused ? error : new Refused('brokenZip')
  }
}

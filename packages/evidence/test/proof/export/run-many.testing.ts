import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { pageCrypto } from '../../../verifiers/in-page.mjs'
import { canonical, type Verified, verifyFolder, verifyProof } from '../../../verifiers/verify.mjs'
import { python } from './run-verifiers.testing.ts'

export type Case = Readonly<{ directory: string; trusted: string | null; anchor: string | null }>

const FOLDER = fileURLToPath(new URL('../../../verifiers', import.meta.url))

// A signature that was checked is not checked again: a signer in pure Python takes milliseconds.
const PROGRAM = `
import functools, json, sys
sys.path.insert(0, ${JSON.stringify(FOLDER)})
sys.dont_write_bytecode = True
import verify
verify.is_signed = functools.lru_cache(maxsize=4096)(verify.is_signed)
for line in sys.stdin:
    given = json.loads(line)
    print(json.dumps(verify.verify_folder(given["directory"], given["trusted"], given["anchor"])), flush=True)
`

/** As the page of the dashboard does it; a signature that was checked is not checked again here either. */
const known = new Map<string, boolean>()
const inPage = ({ directory, trusted, anchor }: Case): Verified => {
  const isSignedBy = (...given: Parameters<typeof pageCrypto.isSignedBy>): boolean => {
    const key = given.map((bytes) => Buffer.from(bytes).toString('latin1')).join('\n')
    const answer = known.get(key) ?? pageCrypto.isSignedBy(...given)
    known.set(key, answer)
    return answer
  }
  const read = (name: string): Buffer => {
    if (!statSync(join(directory, name)).isFile()) throw new Error('A page is given no pipe.')
    return readFileSync(join(directory, name))
  }
  const readAnchor = anchor === null ? null : () => readFileSync(anchor)
  return verifyProof(read, { trusted, readAnchor }, { ...pageCrypto, isSignedBy })
}

const SILENT: Verified = { ok: false, problems: ['It said nothing.'], keyChecked: false, checked: null, notes: [] }

type Differing = Readonly<{ case: Case; node: Verified; other: Verified }>

/** What verify.mjs says of each case, and the first cases of which the page, or verify.py, in one process, says anything else. */
export async function verifyMany(
  cases: readonly Case[],
): Promise<Readonly<{ said: readonly Verified[]; differing: readonly Differing[] }>> {
  const said = cases.map(({ directory, trusted, anchor }) => verifyFolder(directory, { trusted, anchor }))
  const differs = (answers: readonly Verified[]): readonly Differing[] =>
    cases
      .flatMap((each, n) =>
        canonical(answers[n] ?? SILENT) === canonical(said[n]!) ? [] : [{ case: each, node: said[n]!, other: answers[n] ?? SILENT }],
      )
      .slice(0, 5)
  const inPages = differs(cases.map(inPage))
  if (!python) return { said, differing: inPages }
  const half = Math.ceil(cases.length / 2)
  const answers = (await Promise.all([inPython(cases.slice(0, half)), inPython(cases.slice(half))])).flat()
  return { said, differing: [...inPages, ...differs(answers)] }
}

const inPython = async (cases: readonly Case[]): Promise<readonly Verified[]> => {
  const child = spawn('python3', ['-I', '-S', '-c', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers: Verified[] = []
  const reading = (async () => {
    for await (const line of createInterface({ input: child.stdout })) answers.push(JSON.parse(line) as Verified)
  })()
  const ended = once(child, 'exit')
  for (const each of cases) child.stdin.write(`${JSON.stringify(each)}\n`)
  child.stdin.end()
  await Promise.all([reading, ended])
  return answers
}

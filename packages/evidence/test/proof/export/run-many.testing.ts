import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { canonical, type Verified, verifyFolder } from '../../../verifiers/verify.mjs'
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

type Differing = Readonly<{ case: Case; node: Verified; python: Verified }>

/** What verify.mjs says of each case, and the first cases of which verify.py, in one process, says anything else. */
export async function verifyMany(
  cases: readonly Case[],
): Promise<Readonly<{ said: readonly Verified[]; differing: readonly Differing[] }>> {
  const said = cases.map(({ directory, trusted, anchor }) => verifyFolder(directory, { trusted, anchor }))
  if (!python) return { said, differing: [] }
  const half = Math.ceil(cases.length / 2)
  const answers = (await Promise.all([inPython(cases.slice(0, half)), inPython(cases.slice(half))])).flat()
  const differing = cases.flatMap((each, n) => {
    const byPython = answers[n] ?? { ok: false, problems: ['verify.py said nothing.'], keyChecked: false, checked: null, notes: [] }
    return canonical(byPython) === canonical(said[n]!) ? [] : [{ case: each, node: said[n]!, python: byPython }]
  })
  return { said, differing: differing.slice(0, 5) }
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

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './markdown.ts'

/** A step that waits for something that never comes must not outlive its test. */
const TIMEOUT_MS = 280_000

/** A folder in which `npm run tidings` works as in the checkout, so that files of a tutorial end here. */
const asIfCheckout = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-docs-'))
  for (const name of ['package.json', 'packages', 'node_modules']) symlinkSync(`${ROOT}${name}`, join(folder, name))
  return folder
}

/** `npm run -s tidings -- …` without npm, which takes as much CPU as most commands behind it. */
const WITHOUT_NPM = `npm() {
  if [ "$1 $2 $3 $4" = 'run -s tidings --' ]; then shift 4; '${process.execPath}' packages/cli/bin/tidings.mjs "$@"; else command npm "$@"; fi
}`

type ShellSettings = Readonly<{ env: NodeJS.ProcessEnv; withNpm: boolean }>

/** Runs the scripts one after the other in one shell, as if pasted; returns what each printed. */
export async function runInOneShell(scripts: readonly string[], { env, withNpm }: ShellSettings): Promise<readonly string[]> {
  const folder = asIfCheckout()
  const output = (index: number) => join(folder, `output.${index}`)
  try {
    const steps = scripts.map((script, index) => `exec > '${output(index)}'\necho 'step ${index}' >&2\n${script}`)
    const file = join(folder, 'run.sh')
    writeFileSync(file, ['set -eu', ...(withNpm ? [] : [WITHOUT_NPM]), ...steps].join('\n'))
    const child = spawn('sh', [file], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'], timeout: TIMEOUT_MS })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`the shell ended with ${code}: ${said}`)
    return scripts.map((_, index) => readFileSync(output(index), 'utf8'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

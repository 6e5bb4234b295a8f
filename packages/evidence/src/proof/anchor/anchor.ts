import { type FileHandle, open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createCaller, createOriginGuard } from '@tidings/outbound-http'
import type { Pool } from 'pg'
import { lastHead, type SignedHead } from '../heads.ts'
import type { LogKey } from '../log-key.ts'
import { lineOf, parseLine } from './anchored-line.ts'
import { type Anchor, AnchorRefused } from './port.ts'

const TIMEOUT_MS = 10_000
const JSON_HEADERS = { 'content-type': 'application/json' }

/** The place that `TIDINGS_LOG_ANCHOR` names. */
export function openAnchor(url: string): Anchor {
  return url.startsWith('file:') ? fileAnchor(url) : httpsAnchor(url)
}

/** The newest head, where it is not anchored yet. Those before it are covered by it, and stay as they are: not anchored. */
export async function headToAnchor(pool: Pool, key: LogKey): Promise<SignedHead | null> {
  const { rows } = await pool.query<{ anchored: boolean }>(
    'select anchored_at is not null as anchored from proof.head order by size desc limit 1',
  )
  return rows[0]?.anchored === false ? await lastHead(pool, key) : null
}

export async function noteAnchored(pool: Pool, { statement }: SignedHead): Promise<void> {
  await pool.query('update proof.head set anchored_at = clock_timestamp() where size = $1 and anchored_at is null', [statement.size])
}

/** Posts each head as JSON. 2xx: kept. 409: the server holds a history that this one does not continue. Any other answer is tried again. */
export function httpsAnchor(url: string): Anchor {
  const { origin } = new URL(url)
  const caller = createCaller({ guard: createOriginGuard(origin), timeoutMs: TIMEOUT_MS, connections: 1 })
  return {
    keep: async (head) => {
      const { status } = await caller.post({ scope: 'anchor', lane: 'anchor', url, headers: JSON_HEADERS, body: Buffer.from(lineOf(head)) })
      if (status === 409)
        throw new AnchorRefused(`The anchor at ${origin} refuses the tree head of ${head.statement.size} events: it holds another.`)
      if (status < 200 || status > 299) throw new Error(`The anchor at ${origin} answered ${status}.`)
    },
    close: caller.close,
  }
}

/** How far back the last head is looked for: some 160 lines. */
const TAIL = 65_536

type End = Readonly<{ isEmpty: boolean; isTorn: boolean; last: SignedHead | null }>

/** The last head, behind which lines may stand that a crash has torn. `isTorn`: the last line is not ended. */
const endOf = async (file: FileHandle): Promise<End> => {
  const { size } = await file.stat()
  const chunks: Buffer[] = await file.createReadStream({ start: Math.max(0, size - TAIL), autoClose: false }).toArray()
  const lines = Buffer.concat(chunks).toString('utf8').split('\n')
  const isTorn = lines.pop() !== ''
  const last = lines.findLast((line) => parseLine(line) !== null)
  return { isEmpty: size === 0, isTorn, last: last === undefined ? null : parseLine(last) }
}

/** One line a head. The file must be new, or of this log; nothing that is in it is ever changed. */
function fileAnchor(url: string): Anchor {
  const path = fileURLToPath(url)
  const keep: Anchor['keep'] = async (head, assertContinued) => {
    const file = await open(path, 'a+', 0o644)
    try {
      const { isEmpty, isTorn, last } = await endOf(file)
      if (last === null && !isEmpty)
        throw new AnchorRefused(`The end of the anchor ${path} has no line that is a tree head: name another file.`)
      if (last !== null) await assertContinued(last)
      if (last !== null && lineOf(last) === lineOf(head)) return
      await file.appendFile(`${isTorn ? '\n' : ''}${lineOf(head)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
  }
  return { keep, close: async () => undefined }
}

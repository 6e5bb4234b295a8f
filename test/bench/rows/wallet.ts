import { randomUUID } from 'node:crypto'
import { asWorkspaceId } from '@tidings/domain'
import type { Group } from '../lib/bench.ts'
import { runScript } from '../lib/children.ts'
import { startPostgres } from '../lib/postgres.ts'
import { median, row } from '../lib/report.ts'
import type { WalletAnswer, WalletInput } from '../workers/wallet.ts'

const SHAPES = [
  { processes: 1, callers: 64, batch: 1 },
  { processes: 1, callers: 8, batch: 32 },
  { processes: 3, callers: 8, batch: 32 },
]

/** Messages a second of one workspace for which credits are held and settled, without anything else of a send. */
export const walletHolds: Group = {
  name: 'wallet',
  run: async (bench) => {
    const url = await startPostgres(bench)
    const measured = SHAPES.map((shape) => ({ shape, perSecond: [] as number[] }))
    for (let run = 0; run < bench.runs; run++) {
      for (const { shape, perSecond } of measured) perSecond.push(await payTogether(url, shape, bench.seconds))
    }
    return measured.map(({ shape: { processes, callers, batch }, perSecond }) =>
      row(
        `credits of one workspace held and settled, ${processes} × ${callers} callers, ${batch} messages a batch`,
        '/s',
        median(perSecond),
      ),
    )
  },
}

const payTogether = async (url: string, { processes, callers, batch }: (typeof SHAPES)[number], seconds: number): Promise<number> => {
  const input: WalletInput = { url, workspaceId: asWorkspaceId(randomUUID()), callers, batch, seconds }
  const answers = await Promise.all(Array.from({ length: processes }, () => runScript<WalletAnswer>('workers/wallet.ts', input)))
  for (const { p50, p99, events, loadMs } of answers)
    process.stderr.write(`  p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${events} events loaded in ${loadMs.toFixed(1)} ms\n`)
  return answers.reduce((sum, { messagesPerSecond }) => sum + messagesPerSecond, 0)
}

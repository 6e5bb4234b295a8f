import { startEmbedded } from '@tidings/postgres/embedded'
import type { Bench } from './bench.ts'

/** An embedded Postgres, as the service starts it (fsync on), on a folder of its own; answers its address. */
export async function startPostgres(bench: Bench): Promise<string> {
  const log = { info: () => undefined, warn: bench.say, error: bench.say }
  const { url, stop } = await startEmbedded({ dataDir: await bench.folder(), log })
  bench.after(stop)
  return url
}

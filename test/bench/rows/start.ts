import type { Group } from '../lib/bench.ts'
import { median, row } from '../lib/report.ts'
import { startService } from '../lib/service.ts'
import { applyWorkspace } from '../lib/workspace.ts'

/** Measures the time from the start of the Node process to the first 200 of /health/ready, on a data directory that was used before. */
export const start: Group = {
  name: 'start',
  run: async (bench) => {
    const dataDir = await bench.folder()
    const seconds: number[] = []
    for (let run = 0; run <= bench.runs; run++) {
      const service = await startService(bench, { dataDir })
      if (run === 0) await applyWorkspace(service)
      await service.stop()
      bench.say(`${run === 0 ? 'first start' : 'warm start'}: ${service.startSeconds.toFixed(2)} s`)
      if (run > 0) seconds.push(service.startSeconds)
    }
    return [row('warm start until ready', 's', median(seconds), { target: { atMost: 3 } })]
  },
}

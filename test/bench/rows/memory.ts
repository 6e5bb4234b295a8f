import { setTimeout as sleep } from 'node:timers/promises'
import type { Group } from '../lib/bench.ts'
import { residentMb } from '../lib/cpu.ts'
import { type ReportRow, row } from '../lib/report.ts'
import { startService } from '../lib/service.ts'
import { applyWorkspace, emailTo } from '../lib/workspace.ts'

const SENDS = 100
const IDLE_MS = 10_000

/** Resident memory of the Node process of a default start (all roles, development outbox), after 100 sends and as many reads, idle for 10 s. */
export const memory: Group = {
  name: 'memory',
  run: async (bench): Promise<readonly ReportRow[]> => {
    const service = await startService(bench, { dataDir: await bench.folder() })
    const { headers } = await applyWorkspace(service)
    const messages = `${service.url}/api/v1/public/messages`
    for (let n = 0; n < SENDS; n++) {
      const sent = await fetch(`${messages}/email`, { method: 'POST', headers, body: emailTo(`known${n}@example.com`) })
      const { data } = (await sent.json()) as { data: { messageId: string } }
      const read = await fetch(`${messages}/${data.messageId}`, { headers })
      if (sent.status !== 202 || read.status !== 200) throw new Error(`answered ${sent.status} and ${read.status}`)
      await read.arrayBuffer()
    }
    await sleep(IDLE_MS)
    const resident = await residentMb(service.pid)
    if (resident === null) return []
    return [row('resident memory, default start, idle for 10 s after 200 requests', 'MB', resident, { target: { atMost: 150 } })]
  },
}

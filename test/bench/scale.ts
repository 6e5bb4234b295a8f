import { loadavg } from 'node:os'
import { type Group, runGroup } from './lib/bench.ts'
import { endChildren } from './lib/children.ts'
import { machine, machineLine } from './lib/machine.ts'
import { table } from './lib/report.ts'
import { dynamicLists } from './rows/dynamic-lists.ts'
import { growth } from './rows/growth.ts'
import { list } from './rows/list.ts'
import { search } from './rows/search.ts'
import { webhookQueue } from './rows/webhook-queue.ts'

// `npm run scale -- WHAT [COUNT FOLDER]`: what takes half an hour is no part of `npm run bench`.
const GROUPS: Readonly<Record<string, (count: number, folder?: string) => Group>> = {
  list,
  lists: dynamicLists,
  log: growth,
  search,
  webhooks: webhookQueue,
}

const [what = '', count = '1000000', parent] = process.argv.slice(2)
const group = GROUPS[what]
if (group === undefined) {
  process.stderr.write(`npm run scale -- ${Object.keys(GROUPS).join('|')} [COUNT] [FOLDER]\n`)
  process.exit(2)
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, endChildren)
const here = await machine(parent)
const rows = await runGroup(group(Number(count), parent), { seconds: 1, runs: 1, size: 'full', profileDir: null, parent })
process.stdout.write(`${machineLine(here)}\nload ${loadavg().map((one) => one.toFixed(1))}\n\n${table(rows)}\n`)

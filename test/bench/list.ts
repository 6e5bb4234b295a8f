import { loadavg } from 'node:os'
import { runGroup } from './lib/bench.ts'
import { endChildren } from './lib/children.ts'
import { machine, machineLine } from './lib/machine.ts'
import { table } from './lib/report.ts'
import { list } from './rows/list.ts'

// `npm run scale [-- MEMBERS FOLDER]`: a list of a million takes half an hour, so it is no part of `npm run bench`.
const [members = '1000000', parent] = process.argv.slice(2)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, endChildren)
const rows = await runGroup(list(Number(members)), { seconds: 1, runs: 1, profileDir: null, parent })
process.stdout.write(`${machineLine(machine(parent))}\nload ${loadavg().map((one) => one.toFixed(1))}\n\n${table(rows)}\n`)

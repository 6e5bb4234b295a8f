import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Audit, Violation } from './wrong-mail.audit.ts'
import type { Ledger } from './wrong-mail.ledger.ts'
import type { World } from './wrong-mail.world.ts'

const SHOWN = 40
const WITH_EVENTS = 5

type Line = Readonly<{ at: string; type: string; data: unknown }>

/** The log of the workspace as an operator exports it, a line an event. */
const logOf = async ({ operate }: World): Promise<readonly string[]> => {
  const file = join(tmpdir(), `wrong-mail-${process.pid}.ndjson`)
  await operate(['log', 'export', '--out', file, '--workspace', 'shop'])
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  await rm(file)
  return lines
}

const eventsOf = (lines: readonly string[], { person }: Violation): readonly string[] =>
  person === null
    ? []
    : lines
        .filter((line) => line.includes(person.id))
        .map((line) => JSON.parse(line) as Line)
        .map(({ at, type, data }) => `      ${at} ${type} ${JSON.stringify(data).slice(0, 160)}`)

/** Describes each violation with the person, the events and the times. */
export async function reportOf(world: World, ledger: Ledger, { violations, ...of }: Audit): Promise<string> {
  const { seed, sms, offsets } = world.plan
  const head = `seed ${seed}, ${sms}, clocks ${offsets.join(' ')} ms: ${violations.length} violations, ${JSON.stringify(of)}`
  if (violations.length === 0) return head
  const lines = await logOf(world)
  const kinds = Map.groupBy(violations, ({ what, says }) => `${what}${what.startsWith('mailed wrongly') ? `: ${says}` : ''}`)
  const summary = [...kinds].map(([what, all]) => `  ${all.length} × ${what}`)
  const shown = [...kinds.values()].flatMap((all) =>
    all
      .slice(0, Math.ceil(SHOWN / kinds.size))
      .flatMap((one, n) => [
        `  ${one.what}: ${one.cause} to ${one.to} at ${new Date(one.at).toISOString()} (${one.person?.kind ?? 'no contact'} ${one.person?.id ?? ''}): ${one.says}`,
        ...(n < WITH_EVENTS / kinds.size ? eventsOf(lines, one) : []),
      ]),
  )
  const kills = ledger.kills.map(
    ({ seat, from, to }) => `  process ${seat} was away from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`,
  )
  return [head, ...summary, ...shown, ...kills].join('\n')
}

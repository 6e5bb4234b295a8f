import { loadFile, type Ran, runProjection } from '@tidings/analyst/run'
import { parsePosition, positionText } from '@tidings/event-store'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { withOperator } from '../operator/with-operator.ts'
import { type Answer, WrongUsage } from '../terminal/answer.ts'
import { startProgress } from '../terminal/progress.ts'
import { stopSignal } from '../terminal/stop-command.ts'

export type RunFlags = Readonly<{
  schema?: string
  workspace?: string
  from?: string
  follow: boolean
  personal: boolean
  restart: boolean
  json: boolean
}>

const SCHEMA = /^(?!pg_)[a-z][a-z0-9_]{0,56}$/

const positionOf = (from: string | undefined) => {
  const position = from === undefined ? null : parsePosition(from)
  if (from !== undefined && position === null)
    throw new WrongUsage(`${from} is no position: --from takes one as the log prints it, like 1042.`)
  return position
}

const schemaFor = (given: string | undefined, name: string): string => {
  if (given !== undefined && !SCHEMA.test(given))
    throw new WrongUsage(`${given} cannot be a schema's name: use lower-case letters, digits and _, at most 57, and no pg_ in front.`)
  return given ?? `analyst_${name}`
}

const answerOf = ({ events, from, to, schema, tables }: Ran): Answer => ({
  json: { events, from: positionText(from), to: positionText(to), schema, tables },
  lines: [`Applied ${events} events, up to ${positionText(to)}.`, ...tables.map((table) => `  ${schema}.${table}`)],
})

const sayWhatIsAbsent = ({ name, personal }: Readonly<{ name: string; personal: Readonly<Record<string, readonly string[]>> }>): void => {
  const asked = Object.entries(personal).flatMap(([type, fields]) => fields.map((field) => `${type}.${field}`))
  if (asked.length === 0) return
  process.stderr.write(
    `${name} asks for ${asked.join(', ')}, which are absent without --personal: start again with --personal --restart.\n`,
  )
}

/** `tidings projection run FILE`: fills the schema from the log, and goes on at the next call; with --follow until a signal. */
export async function run(path: string, { follow, personal, restart, json, ...flags }: RunFlags): Promise<void> {
  const from = positionOf(flags.from)
  const signal = stopSignal()
  const file = await loadFile(path)
  const schema = schemaFor(flags.schema, file.projection.name)
  if (!personal) sayWhatIsAbsent(file.projection)
  await withOperator(
    json,
    async (operator) => {
      const workspaceId = flags.workspace === undefined ? null : (await existingWorkspace(operator, flags.workspace)).id
      const { log, pool } = operator.stores
      const progress = await startProgress(`Filling ${schema}`)
      const ran = await runProjection({
        ...{ file, log, pool, schema, workspaceId, personal, from, restart, follow, signal },
        onProgress: (position, head) => progress.update(Number(position.commit), Number(head.commit)),
        onCaughtUp: (position) => {
          progress.stop()
          process.stderr.write(`Caught up at ${positionText(position)}, and following the log: Ctrl-C ends it.\n`)
        },
      }).finally(progress.stop)
      return answerOf(ran)
    },
    { readsReplicas: true },
  )
}

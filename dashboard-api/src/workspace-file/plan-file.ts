import { OperationFailed } from '@tidings/config'
import { workspaceIdOf } from '@tidings/directory'
import { type connectors, Refused } from '@tidings/domain'
import { invalidRequest, toProblem } from '@tidings/http'
import { applyWorkspaceFile, createTrial, type PlannedCommand } from '@tidings/provisioning'
import { lineOf, parseWorkspaceFile, type WorkspaceFile, WorkspaceFileError } from '@tidings/provisioning/workspace-file'
import { recordOf } from '../connectors/connectors.ts'
import type { DashboardDependencies } from '../dependencies.ts'
import { etagOf } from '../editing/editable.ts'
import { operatorsWord } from './operators-word.ts'
import { overLimit } from './over-limit.ts'
import { MOST_RECORDS, readingLog } from './present-file.ts'
import { withoutDomain } from './without-domain.ts'

/** Parsing them holds the process for less than a second. */
const MOST_TOKENS = 100_000

/** `etagBehind`: of what is left behind the first commands. It is the etag of the next plan, unless somebody else changes what is left. */
type FilePlan = Readonly<{ changes: readonly string[]; planned: readonly PlannedCommand[]; etagBehind: (done: number) => string }>
type GivenFile = Readonly<{ text: string; slug: string }>

/**
 * What an owner's file would change, and the commands for it, as of the log. Throws one sentence, with its line, for a file that cannot be applied, that is
 * of another workspace, or that says what only an operator may say.
 */
export async function planFile(deps: Pick<DashboardDependencies, 'commands' | 'db'>, { text, slug }: GivenFile): Promise<FilePlan> {
  const wrong = (sentence: string) => {
    const line = lineOf(text, sentence)
    return invalidRequest(line === null ? sentence : `Line ${line}: ${sentence}`)
  }
  const sentence = (error: unknown): string | null => {
    if (error instanceof WorkspaceFileError) return error.message
    if (error instanceof OperationFailed) return withoutOthers(error.message)
    return error instanceof Refused ? toProblem(error).message : null
  }
  const trial = createTrial(readingLog(deps))
  try {
    const file = parseWorkspaceFile(text, { mostTokens: MOST_TOKENS })
    const mistake = notHere(file, slug)
    if (mistake !== null) throw wrong(mistake)
    const { changes } = await applyWorkspaceFile(trial.to, file)
    const planned = trial.planned()
    const workspaceId = workspaceIdOf(slug)
    const said =
      planned.map(operatorsWord).find((one) => one !== null) ??
      (await withoutDomain(trial.to, { workspaceId, file, planned })) ??
      (await overLimit(deps, { workspaceId, to: trial.to, planned }))
    if (said !== null) throw wrong(said)
    return { changes, planned, etagBehind: (done) => etagOf({ text, left: touchedBy(planned.slice(done)) }) }
  } catch (error) {
    const said = sentence(error)
    throw said === null ? error : wrong(said)
  }
}

/** What a file may not be on this page, whatever it would change. Passwords are not even hashed. */
const notHere = (file: WorkspaceFile, slug: string): string | null => {
  if (file.workspace.slug !== slug) return `workspace.slug: the file is of another workspace than ${slug}`
  if ((file.users ?? []).length > 0) return 'users: people are invited under People, and choose their passwords themselves'
  const records = Object.values(file).reduce<number>((sum, section) => sum + (Array.isArray(section) ? section.length : 0), 0)
  return records > MOST_RECORDS ? `The file has more than ${MOST_RECORDS} records: apply it in parts` : null
}

/** An operator may know which workspace has a number, an owner may not. */
const withoutOthers = (sentence: string): string =>
  sentence.replace(/^(smsSenderIds\[\d+\]\.\w+): .*$/s, '$1: this number belongs to another sender')

/** What would change, as it is, and the kinds of changes. Ids and tokens that each plan makes anew are not in it. */
const touchedBy = (planned: readonly PlannedCommand[]) => {
  const seen = new Set<string>()
  return planned.map(({ stream, touches, events }) => {
    const first = touches.filter(({ path }) => seen.size < seen.add([stream, ...path].join('/')).size)
    const before = first.map(({ path, value }) => ({ path, value: shownOf(events, value) }))
    return { stream, types: events.map(({ type }) => type), before }
  })
}

/** Connectors are in it without their secrets: one that people chose could be guessed from an etag. The cast holds: the stream has one kind of state. */
const shownOf = (events: PlannedCommand['events'], before: unknown): unknown =>
  events.some(({ type }) => type === 'ConnectorConfigured') ? (before as typeof connectors.initialState).map(recordOf) : before

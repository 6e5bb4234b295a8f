import type { StreamReader } from '@tidings/codec'
import { uuidv5 } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { bucketOf, type ContactId, IMPORT, type ListId, members, membersStream, type WorkspaceId } from '@tidings/domain'
import { laterPosition, type Position, START } from '@tidings/event-store'
import type { UniqueContacts } from '@tidings/unique-contacts'
import type { Pool } from 'pg'
import type { PeopleFile } from './file/people-file.ts'
import type { FileRow } from './file/row.ts'
import { LineRefused } from './line/given-consents.ts'
import { type Person, personOf, type Reading } from './line/person-of.ts'
import { type Counts, type DoneLine, type ImportRun, NO_COUNTS, withImportRun } from './write/import-run.ts'
import { inOrder } from './write/in-order.ts'
import { keysOfPerson } from './write/keys-of-person.ts'
import { shownContacts } from './write/shown-contacts.ts'
import { tryPeople } from './write/try-people.ts'
import { type LineOfPerson, type LineOutcome, writePerson } from './write/write-person.ts'

/**
 * `list`: everybody of the file comes onto this static list. `shown`: resolves when the read side shows the position, so that an import never runs away
 * from the reads of others. `reading`: without the moment. `onProgress`: after each piece, with how many lines were read.
 */
export type Importing = Readonly<{
  log: StreamReader
  pool: Pool
  contacts: UniqueContacts
  runner: CommandRunner
  workspaceId: WorkspaceId
  list: ListId | null
  reading: Omit<Reading, 'now'>
  now: () => string
  shown: (position: Position) => Promise<void>
  onProgress: (read: number) => void
}>

export type ImportedPeople = Readonly<{ counts: Counts; position: Position }>

/** Lines that are worked on before it is noted how far the import is: some MB, and a third of a second. */
const PIECE = 1_000
/** Appends that are on their way: those of a running service come between two batches. */
const AT_ONCE = 192
const MOST_REFUSED = 100

type Line = Readonly<{ line: number; person: Person } | { line: number; why: string }>

/** Writes the people of a file. Killed, it goes on where it was when it is called again with the same file; no line is written twice. */
export function importPeople(importing: Importing, file: PeopleFile): Promise<ImportedPeople> {
  const { pool, workspaceId, list } = importing
  const digest = `${file.digest} ${list ?? ''}`
  return withImportRun(pool, { workspaceId, digest }, async (run) => {
    let [counts, begun, position, before] = [run.counts, run.begun, START, START]
    for await (const piece of piecesOf(file, importing, counts.read)) {
      const save = (done: readonly DoneLine[]): Promise<void> => run.save(counts, done)
      const written = await writePiece({ ...importing, runId: run.runId, begun, save }, piece)
      counts = added(counts, piece, written.outcomes)
      begun = null
      await run.save(counts)
      // The piece before is shown by now, unless reads are behind.
      await importing.shown(before)
      before = written.position
      position = laterPosition(position, written.position)
      importing.onProgress(counts.read)
    }
    await importing.shown(position)
    await run.finish()
    return { counts, position }
  })
}

/** The same, of which nothing is written. */
export async function tryImport(importing: Importing, file: PeopleFile): Promise<Counts> {
  const { pool, log, workspaceId, now, onProgress } = importing
  const client = await pool.connect()
  try {
    const tried = await tryPeople({ client, log, workspaceId, now })
    let counts = NO_COUNTS
    for await (const piece of piecesOf(file, importing, 0)) {
      const people = piece.flatMap((line) => ('person' in line ? [line.person] : []))
      await tried.load(people)
      const shownOf = await shownContacts(pool, workspaceId, people)
      const outcomes = new Map<number, LineOutcome | string>()
      for (const line of piece)
        if ('person' in line) outcomes.set(line.line, await outcomeOf(() => tried.decide({ ...line, shown: shownOf(line.person) })))
      await tried.save()
      counts = added(counts, piece, outcomes)
      onProgress(counts.read)
    }
    return counts
  } finally {
    // The connection is ended: what it has tried is of no use to others.
    client.release(true)
  }
}

/** Lines by piece, without those that an earlier call has worked on. */
async function* piecesOf(file: PeopleFile, { reading, now }: Importing, done: number): AsyncGenerator<readonly Line[]> {
  let piece: Line[] = []
  let passed = 0
  for await (const row of file.rows()) {
    if (passed++ < done) continue
    piece.push(lineOf(row, { ...reading, now: now() }))
    if (piece.length < PIECE) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}

const lineOf = (row: FileRow, reading: Reading): Line => {
  if ('why' in row) return row
  try {
    return { line: row.line, person: personOf(row.cells, reading) }
  } catch (error) {
    if (error instanceof LineRefused) return { line: row.line, why: error.message }
    throw error
  }
}

/** `begun`: what an earlier call has done of the piece. */
type WritingPiece = Importing & Readonly<{ runId: string; begun: ImportRun['begun']; save: (done: readonly DoneLine[]) => Promise<void> }>
type WrittenPiece = Readonly<{ outcomes: ReadonlyMap<number, LineOutcome | string>; position: Position }>

/** A line is noted as done before the next that is connected with it: done again behind that one, it would bring back what that has changed. */
const writePiece = async (writing: WritingPiece, piece: readonly Line[]): Promise<WrittenPiece> => {
  const done = new Map((writing.begun ?? []).map((one) => [one.line, one]))
  const people = piece.flatMap((line) => ('person' in line && !done.has(line.line) ? [line] : []))
  const shownOf = await shownContacts(
    writing.pool,
    writing.workspaceId,
    people.map(({ person }) => person),
  )
  let position = START
  const lines = people.map((line) => {
    const shown = shownOf(line.person)
    return { item: { ...line, shown }, keys: [...keysOfPerson(line.person), ...Object.values(shown).filter((id) => id !== null)] }
  })
  const work = async (line: LineOfPerson): Promise<void> => {
    let contactId: ContactId | null = null
    const what = await outcomeOf(async () => {
      const written = await writePerson({ ...writing, isAgain: writing.begun !== null }, line)
      contactId = written.contactId
      position = laterPosition(position, written.position ?? START)
      return written.outcome
    })
    done.set(line.line, { line: line.line, what, contactId })
  }
  await inOrder<LineOfPerson>(lines, { atOnce: AT_ONCE, work, between: () => writing.save([...done.values()]) })
  const outcomes = new Map([...done.values()].map(({ line, what }) => [line, what]))
  const contactIds = [...done.values()].flatMap(({ contactId }) => contactId ?? [])
  return { outcomes, position: laterPosition(position, await joinList(writing, contactIds)) }
}

/** A second addition changes nothing, and none enters a flow: the actor is the import (M67). */
const joinList = async ({ runner, workspaceId, list, runId, now }: WritingPiece, contactIds: readonly ContactId[]): Promise<Position> => {
  if (list === null) return START
  const byBucket = Map.groupBy(contactIds, bucketOf)
  const joined = await Promise.all(
    [...byBucket].map(([bucket, ids]) =>
      runner.execute({
        decider: members,
        stream: membersStream(workspaceId, list, bucket),
        command: { type: 'AddMembers', data: { listId: list, contactIds: ids } },
        context: { commandId: uuidv5(`${runId}|${ids.join()}`, workspaceId), workspaceId, actor: IMPORT, requestId: runId, at: now() },
      }),
    ),
  )
  return joined.reduce((last, { position }) => laterPosition(last, position ?? START), START)
}

const outcomeOf = async (work: () => Promise<LineOutcome>): Promise<LineOutcome | string> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LineRefused) return error.message
    throw error
  }
}

const added = (counts: Counts, piece: readonly Line[], outcomes: ReadonlyMap<number, LineOutcome | string>): Counts => {
  const results = piece.map((line) => ({ line: line.line, what: 'why' in line ? line.why : outcomes.get(line.line) }))
  const number = (outcome: LineOutcome): number => results.filter(({ what }) => what === outcome).length
  const refused = results.flatMap(({ line, what }) => (what === undefined || isOutcome(what) ? [] : [{ line, why: what }]))
  return {
    read: counts.read + piece.length,
    created: counts.created + number('created'),
    updated: counts.updated + number('updated'),
    unchanged: counts.unchanged + number('unchanged'),
    refused: [...counts.refused, ...refused].slice(0, MOST_REFUSED),
    refusedCount: counts.refusedCount + refused.length,
  }
}

const isOutcome = (what: string): what is LineOutcome => what === 'created' || what === 'updated' || what === 'unchanged'

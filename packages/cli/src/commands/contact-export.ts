import { chmod, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { contentStore } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import { makeFolder } from '@tidings/config/make-folder'
import { type ContactEvent, type ContactId, contactStream, type EmailContent, type WorkspaceId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, profileById, type ReadModels, toProfile } from '@tidings/read-models'
import { contactName, namedContact, noContact, type OfContact } from '../operator/existing-contact.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import { messagesOf } from '../person/messages.ts'
import { type Section, sectionsOf } from '../person/sections.ts'
import { streamsOf } from '../person/streams-of.ts'
import { html, json, writeSections } from '../person/write-sections.ts'
import { startProgress } from '../terminal/progress.ts'

type Exporting = OfContact & Readonly<{ out: string; json: boolean }>

/** `tidings contact export`: everything about a person (GDPR, Article 15), for people and for programs. */
export function exportContact(options: Exporting): Promise<void> {
  contactName(options.id)
  return withOperator(options.json, async (operator) => {
    const { workspaceId, contactId } = await namedContact(operator, options)
    const folder = resolve(options.out)
    await operator.settle(await operator.stores.log.head())
    const sections = await personIn(operator, { ...options, workspaceId, contactId })
    await outFolder(folder, ['contact.json', 'contact.html'], async ([jsonFile = '', htmlFile = '']) => {
      await writeSections(sections, [
        { file: jsonFile, format: json },
        { file: htmlFile, format: html },
      ])
    })
    const record = { id: contactId, out: folder, files: ['contact.json', 'contact.html'] }
    return {
      json: record,
      lines: [`All that is known of contact ${contactId} is in ${folder}: contact.html to read, contact.json for programs.`],
    }
  })
}

type ContactToExport = OfContact & Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>

const personIn = async ({ stores: { log, pool, keyRing } }: Operator, wanted: ContactToExport): Promise<readonly Section[]> => {
  const { workspaceId, contactId } = wanted
  const db = kyselyOn<ReadModels>(pool)
  const row = await profileById(db)(workspaceId, contactId)
  if (row === undefined) throw noContact(wanted)
  const own = await log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId), { pastLimits: true })
  const read = forWorkspace(db, workspaceId)
  const suppressed = await read.suppressions().select(['channel', 'reasons', 'updated_at']).where('contact_id', '=', contactId).execute()
  const lists = await read.lists().select(['id', 'name', 'type']).execute()
  const ids = lists.map(({ id }) => id)
  const memberships =
    ids.length === 0
      ? []
      : await read.listMembers().select(['list_id', 'added_at']).where('list_id', 'in', ids).where('contact_id', '=', contactId).execute()
  const addedAt = new Map(memberships.map(({ list_id, added_at }) => [list_id, added_at]))
  const progress = await startProgress('Reading the log')
  const head = await log.head()
  const onPage = ({ commit }: typeof head): void => progress.update(Number(commit), Number(head.commit))
  const streams = await streamsOf({ log, workspaceId, contactId, onPage }).finally(progress.stop)
  const contents = contentStore<EmailContent>({ pool, keyRing })
  return sectionsOf({
    ...{ log, workspaceId, contactId, own, streams },
    profile: toProfile(row),
    suppressions: suppressed.map(({ channel, reasons, updated_at }) => ({ channel, reasons, at: updated_at.toISOString() })),
    lists: lists
      .filter(({ id }) => addedAt.has(id))
      .map(({ id, name, type }) => ({ id, name, type, addedAt: addedAt.get(id)?.toISOString() ?? null })),
    messages: messagesOf({ log, contents, workspaceId }),
  })
}

/** Lets `fill` write files into a folder that is new or empty. Where it fails, what it wrote is taken away again. */
async function outFolder(folder: string, files: readonly string[], fill: (paths: readonly string[]) => Promise<void>): Promise<void> {
  const inside = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw cannot(folder, error)
  })
  if (inside.length > 0) throw new OperationFailed(`${folder} is not empty: name a folder that is new or empty.`)
  const paths = files.map((file) => join(folder, file))
  try {
    if (await makeFolder(folder, 0o700)) await chmod(folder, 0o700)
    await fill(paths)
  } catch (error) {
    for (const path of paths) await rm(path, { force: true })
    throw error instanceof Error && 'code' in error && 'syscall' in error ? cannot(folder, error) : error
  }
}

const cannot = (folder: string, error: Readonly<{ code?: unknown }>): OperationFailed =>
  new OperationFailed(`${folder} cannot be written (${error.code}): make room, or name a folder that you may write.`, { cause: error })

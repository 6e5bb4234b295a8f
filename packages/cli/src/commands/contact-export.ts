import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { chmod, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { htmlSections, jsonSections, personSections, type Section, sectionTexts, untilErased } from '@tidings/administration'
import { contentStore } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import { makeFolder } from '@tidings/config/make-folder'
import type { EmailContent } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import type { ReadModels } from '@tidings/read-models'
import { contactName, namedContact, noContact, type OfContact } from '../operator/existing-contact.ts'
import { withOperator } from '../operator/with-operator.ts'

type Exporting = OfContact & Readonly<{ out: string; json: boolean }>

/** `tidings contact export`: everything about a person (GDPR, Article 15), for people and for programs. */
export function exportContact(options: Exporting): Promise<void> {
  contactName(options.id)
  return withOperator(options.json, async (operator) => {
    const { workspaceId, contactId } = await namedContact(operator, options)
    const folder = resolve(options.out)
    await operator.settle(await operator.stores.log.head())
    const { log, pool, keyRing } = operator.stores
    const sources = { db: kyselyOn<ReadModels>(pool), log, contents: contentStore<EmailContent>({ pool, keyRing }) }
    const known = untilErased(log, { workspaceId, contactId })
    try {
      const sections = await personSections(sources, { workspaceId, contactId })
      if (sections === null) throw noContact(options)
      await outFolder(folder, ['contact.json', 'contact.html'], (files) => writeSections({ sections, files, signal: known.signal }))
    } catch (error) {
      throw known.signal.aborted ? noContact(options) : error
    } finally {
      await known.stop()
    }
    const record = { id: contactId, out: folder, files: ['contact.json', 'contact.html'] }
    return {
      json: record,
      lines: [`All that is known of contact ${contactId} is in ${folder}: contact.html to read, contact.json for programs.`],
    }
  })
}

type Written = Readonly<{ sections: readonly Section[]; files: readonly string[]; signal: AbortSignal }>

/** Writes all files at once, until the signal. They are the owner's alone. */
async function writeSections({ sections, files, signal }: Written): Promise<void> {
  const streams = files.map((file) => createWriteStream(file, { flags: 'wx', mode: 0o600 }))
  const done = Promise.all(streams.map((stream) => finished(stream)))
  done.catch(() => undefined) // awaited at the end, or by the first write
  try {
    for await (const pieces of sectionTexts(sections, [jsonSections, htmlSections])) {
      signal.throwIfAborted()
      for (const [n, stream] of streams.entries()) if (!stream.write(pieces[n])) await Promise.race([once(stream, 'drain'), done])
    }
  } finally {
    for (const stream of streams) stream.end()
  }
  await done
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

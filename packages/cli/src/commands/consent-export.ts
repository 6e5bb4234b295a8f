import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isoNow } from '@tidings/async/clock'
import { OperationFailed } from '@tidings/config'
import { assertNewOrEmpty, type ConsentExport, exportConsents, openLogKey } from '@tidings/evidence/proof'
import { contactName, namedContact } from '../operator/existing-contact.ts'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { momentOption } from '../operator/moment-option.ts'
import { withOperator } from '../operator/with-operator.ts'
import { WrongUsage } from '../terminal/answer.ts'
import { startProgress } from '../terminal/progress.ts'

type ConsentExportOptions = Readonly<{ workspace: string; id?: string; out: string; at?: string; anchor?: string; json: boolean }>

/** `tidings consent export`: from the log, which it needs no read model for. */
export async function exportProof({ workspace: slug, id, out, at: asked, anchor, json }: ConsentExportOptions): Promise<void> {
  const at = momentOption(asked)
  if (at !== null && at > isoNow()) throw new WrongUsage(`--at ${asked} is in the future: the log does not say what will be.`)
  if (id !== undefined) contactName(id)
  const anchorFile = anchor ?? null
  if (anchorFile !== null && !existsSync(anchorFile)) throw new OperationFailed(`There is no file ${anchorFile}.`)
  const directory = resolve(out)
  await assertNewOrEmpty(directory)
  await withOperator(
    json,
    async (operator) => {
      const { pool, store, log, keyRing } = operator.stores
      const workspace = { id: (await existingWorkspace(operator, slug)).id, slug }
      const contactId = id === undefined ? null : (await namedContact(operator, { workspace: slug, id })).contactId
      const key = await openLogKey(keyRing)
      // Positions count events in Postgres alone.
      const events = operator.config.storage.eventStore === 'postgres' ? Number((await store.head()).commit) : 0
      const progress = await startProgress('Proving consents')
      const onProgress: ConsentExport['onProgress'] = (what, done) => what !== 'contacts' && progress.update(done, Math.max(done, events))
      const request = { pool, store, log, key, workspace, contactId, directory, at, anchorFile, now: () => new Date(), onProgress }
      const exported = await exportConsents(request).finally(progress.stop)
      const lines = [
        `Wrote the proof of ${exported.consents} consents of ${exported.contacts} contacts to ${directory}: report.html is for reading, proof.json is what verify.mjs and verify.py check.`,
        `Give the auditor the fingerprint of the log's key by another way than the folder: ${exported.fingerprint}`,
      ]
      return { json: { directory, ...exported }, lines }
    },
    { readsReplicas: true },
  )
}

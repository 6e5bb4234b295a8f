import type { Recorded } from '@tidings/codec'
import { FormChanges, FormParams } from '@tidings/contracts'
import { asFormId, type FormId, type WorkspaceEvent, type WorkspaceId, workspaceStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { namesOfActors } from '../editing/last-change.ts'
import { namesOf } from '../names.ts'
import { editableForm, isOfForm } from './forms.ts'

const schema = {
  operationId: 'forms.history',
  summary: 'What was done with a form, and by whom, the last first',
  tags: ['forms'],
  params: FormParams,
  response: { 200: FormChanges },
}

const config = { access: 'session', dashboard: { role: 'admin' }, refusals: ['form_not_found'] } as const

const SHOWN = 50
const PAGE = 200

export function formHistory(app: App, deps: Pick<DashboardDependencies, 'commands' | 'db' | 'log'>): void {
  app.get('/forms/:id/history', { schema, config }, async ({ tenant: { workspaceId }, params: { id } }) => {
    const formId = asFormId(id)
    const { revision } = await readRecord(deps, workspaceId, editableForm({ workspaceId, formId }))
    const found = await changesOf(deps, { workspaceId, formId, newest: revision })
    const shown = found.slice(0, SHOWN)
    const first = found.length > SHOWN ? null : found.at(-1)
    const [nameOf, names] = await Promise.all([
      namesOfActors(
        deps.db,
        workspaceId,
        shown.map(({ meta }) => meta.actor),
      ),
      namesOf(forWorkspace(deps.db, workspaceId), {
        lists: shown.map(({ type, data }) => (type === 'FormConfigured' ? data.listId : null)),
      }),
    ])
    const items = shown.map((event) => {
      const { type, data, meta } = event
      const made = { at: meta.at, by: nameOf(meta.actor) }
      if (type !== 'FormConfigured')
        return { ...made, what: type === 'FormArchived' ? 'archived' : 'restored', list: null, confirms: false } as const
      const list = { id: data.listId, name: names.get(data.listId) ?? null }
      return { ...made, what: event === first ? 'created' : 'changed', list, confirms: data.confirmation !== null } as const
    })
    return { items, hasMore: found.length > SHOWN }
  })
}

type FormEvent = Extract<WorkspaceEvent, { data: { formId: FormId } }>
type Looked = Readonly<{ workspaceId: WorkspaceId; formId: FormId; newest: number }>

/** From the end of the workspace's stream, in which forms are a few events among few: one more than are shown. */
const changesOf = async (
  { log }: Pick<DashboardDependencies, 'log'>,
  { workspaceId, formId, newest }: Looked,
): Promise<readonly Recorded<FormEvent>[]> => {
  const found: Recorded<FormEvent>[] = []
  for (let from = newest; from >= 0 && found.length <= SHOWN; from -= PAGE) {
    const page = await log.readStream<Recorded<WorkspaceEvent>>(workspaceId, workspaceStream(workspaceId), {
      direction: 'backwards',
      from,
      limit: PAGE,
    })
    found.push(...page.filter((event): event is Recorded<FormEvent> => isOfForm(event, formId)))
  }
  return found
}

import type { Recorded } from '@tidings/codec'
import {
  type ApiKeyCreated,
  type ApiKeyDeleted,
  type ApiKeyId,
  type ApiKeyRevoked,
  type WorkspaceEvent,
  workspaceStream,
} from '@tidings/domain'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { withOperator } from '../operator/with-operator.ts'
import { listAnswer } from '../terminal/answer.ts'

const actions = { ApiKeyCreated: 'created', ApiKeyRevoked: 'revoked', ApiKeyDeleted: 'deleted' } as const

type KeyEvent = Recorded<ApiKeyCreated | ApiKeyRevoked | ApiKeyDeleted>
type Entry = Readonly<{
  at: string
  action: (typeof actions)[keyof typeof actions]
  keyId: ApiKeyId
  name: string
  actor: string
  ip: string | null
  userAgent: string | null
}>

const isOfKey = (event: Recorded<WorkspaceEvent>): event is KeyEvent => Object.hasOwn(actions, event.type)

const line = ({ at, action, keyId, name, actor, ip }: Entry): string => `${at}  ${action}  ${keyId}  ${actor}  ${ip ?? '-'}  ${name}`

/** `tidings api-key history`: from the log itself, so it has deleted keys too. */
export function history({ workspace: slug, json }: Readonly<{ workspace: string; json: boolean }>): Promise<void> {
  return withOperator(json, async (operator) => {
    const { id } = await existingWorkspace(operator, slug)
    const events = (await operator.stores.log.readStream<WorkspaceEvent>(id, workspaceStream(id))).filter(isOfKey)
    const names = new Map(events.flatMap(({ type, data }) => (type === 'ApiKeyCreated' ? [[data.keyId, data.name] as const] : [])))
    const entries = events.map(({ type, data: { keyId, ip, userAgent }, meta: { at, actor } }): Entry => {
      return { at, action: actions[type], keyId, name: names.get(keyId) ?? '', actor, ip, userAgent }
    })
    return listAnswer(entries, line, `Workspace ${slug} never had an API key.`)
  })
}

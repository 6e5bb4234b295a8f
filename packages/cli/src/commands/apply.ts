import { type ListEvent, type ListId, listStream, type WorkspaceId } from '@tidings/domain'
import { proofName } from '@tidings/outbound-http'
import { applyWorkspaceFile } from '@tidings/provisioning'
import { parseWorkspaceFile, type WorkspaceFile } from '@tidings/provisioning/workspace-file'
import { rulesComputed } from '@tidings/service/stores'
import { readText } from '../operator/read-text.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import type { Answer } from '../terminal/answer.ts'
import { startProgress } from '../terminal/progress.ts'

/** `tidings apply -f FILE`: makes a workspace what the file says. The file is checked whole before anything is opened. */
export async function apply({ file, json }: Readonly<{ file: string; json: boolean }>): Promise<void> {
  const wanted = parseWorkspaceFile(await readText(file))
  await withOperator(json, (operator) => applied(operator, wanted), { begins: true })
}

async function applied(operator: Operator, wanted: WorkspaceFile): Promise<Answer> {
  const { provisioner, settle } = operator
  const progress = await startProgress(`Applying ${wanted.workspace.slug}`)
  try {
    const { applied, changes, stillActive } = await applyWorkspaceFile(provisioner, wanted, progress.update)
    await settle()
    const keys = applied.apiKeys.flatMap(({ name, key }) => (key === undefined ? [] : [`API key ${name} (shown once): ${key}`]))
    const records = Object.entries(applied.senderDomains)
      .filter(([domain]) => changes.some((change) => change.endsWith(`token of a sender domain: ${domain}`)))
      .map(([domain, token]) => `To prove ${domain}, publish ${proofName(domain)} TXT "${token}"`)
    const computing = await rulesComputing(operator, { workspaceId: applied.workspace.id, lists: applied.lists })
    const waits = computing.map((name) => `The rule of the list ${name} is still being computed: a campaign to it waits.`)
    const kept = stillActive.map(
      ({ id, name, kind }) => `The ${kind} API key ${name} is still active. When nothing uses it any more: tidings api-key revoke ${id}`,
    )
    const isAsItIs = changes.length === 0
    const lines = isAsItIs ? [`Workspace ${wanted.workspace.slug} already is as the file says.`] : [...changes, ...keys, ...records]
    const notes = { ...(computing.length > 0 && { computing }), ...(stillActive.length > 0 && { stillActive }) }
    return { json: { ...applied, ...notes }, lines: [...lines, ...kept, ...waits] }
  } finally {
    progress.stop()
  }
}

type OfWorkspace = Readonly<{ workspaceId: WorkspaceId; lists: Readonly<Record<string, ListId>> }>

/** The names of the lists whose newest rule has not reached every contact yet (M44). `lists`: ids by name. */
async function rulesComputing({ stores: { log, pool } }: Operator, { workspaceId, lists }: OfWorkspace): Promise<readonly string[]> {
  const versions = new Map<string, number>()
  for (const [name, listId] of Object.entries(lists)) {
    const events = await log.readStream<ListEvent>(workspaceId, listStream(workspaceId, listId))
    const changed = events.findLast(({ type }) => type === 'ListRuleChanged')
    if (changed?.type === 'ListRuleChanged') versions.set(name, changed.data.version)
  }
  if (versions.size === 0) return []
  const computed = await rulesComputed(pool, workspaceId)
  return [...versions].flatMap(([name, version]) => ((computed.get(lists[name] ?? '') ?? 0) < version ? [name] : []))
}

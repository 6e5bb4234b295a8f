import { proofName } from '@tidings/outbound-http'
import { applyWorkspaceFile } from '@tidings/provisioning'
import { parseWorkspaceFile } from '@tidings/provisioning/workspace-file'
import { readText } from '../operator/read-text.ts'
import { rulesComputing } from '../operator/rules-computing.ts'
import { withOperator } from '../operator/with-operator.ts'
import { startProgress } from '../terminal/progress.ts'

/** `tidings apply -f FILE`: makes a workspace what the file says. The file is checked whole before anything is opened. */
export async function apply({ file, json }: Readonly<{ file: string; json: boolean }>): Promise<void> {
  const wanted = parseWorkspaceFile(await readText(file))
  await withOperator(json, async (operator) => {
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
  })
}

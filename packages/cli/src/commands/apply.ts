import { proofName } from '@tidings/outbound-http'
import { applyWorkspaceFile } from '@tidings/provisioning'
import { parseWorkspaceFile } from '@tidings/provisioning/workspace-file'
import { readText } from '../operator/read-text.ts'
import { withOperator } from '../operator/with-operator.ts'
import { startProgress } from '../terminal/progress.ts'

/** `tidings apply -f FILE`: makes a workspace what the file says. The file is checked whole before anything is opened. */
export async function apply({ file, json }: Readonly<{ file: string; json: boolean }>): Promise<void> {
  const wanted = parseWorkspaceFile(await readText(file))
  await withOperator(json, async ({ provisioner, settle }) => {
    const progress = await startProgress(`Applying ${wanted.workspace.slug}`)
    try {
      const { applied, changes } = await applyWorkspaceFile(provisioner, wanted, progress.update)
      await settle()
      const keys = applied.apiKeys.flatMap(({ name, key }) => (key === undefined ? [] : [`API key ${name} (shown once): ${key}`]))
      const isNew = changes.some((change) => change.startsWith('made the token'))
      const records = Object.entries(applied.senderDomains).map(([domain, token]) => `To prove ${domain}: ${proofName(domain)} TXT "${token}"`)
      const lines = changes.length === 0 ? [`Workspace ${wanted.workspace.slug} already is as the file says.`] : [...changes, ...keys, ...(isNew ? records : [])]
      return { json: applied, lines }
    } finally {
      progress.stop()
    }
  })
}

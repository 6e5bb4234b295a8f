import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { OperationFailed } from '@tidings/config'
import { applyWorkspaceFile } from '@tidings/provisioning'
import { parseWorkspaceFile } from '@tidings/provisioning/workspace-file'
import { withOperator } from '../operator/with-operator.ts'
import { startProgress } from '../terminal/progress.ts'

const read = async (file: string): Promise<string> => {
  try {
    return file === '-' ? readFileSync(0, 'utf8') : await readFile(file, 'utf8')
  } catch (error) {
    throw new OperationFailed(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** `tidings apply -f FILE`: makes a workspace what the file says. The file is checked whole before anything is opened. */
export async function apply({ file, json }: Readonly<{ file: string; json: boolean }>): Promise<void> {
  const wanted = parseWorkspaceFile(await read(file))
  await withOperator(json, async ({ provisioner, settle }) => {
    const progress = await startProgress(`Applying ${wanted.workspace.slug}`)
    try {
      const { applied, changes } = await applyWorkspaceFile(provisioner, wanted, progress.update)
      await settle()
      const keys = applied.apiKeys.flatMap(({ name, key }) => (key === undefined ? [] : [`API key ${name} (shown once): ${key}`]))
      const lines = changes.length === 0 ? [`Workspace ${wanted.workspace.slug} already is as the file says.`] : [...changes, ...keys]
      return { json: applied, lines }
    } finally {
      progress.stop()
    }
  })
}

import { createCommandRunner } from '@tidings/commands'
import { workspaceIdOf } from '@tidings/directory'
import { workspace, workspaceStream } from '@tidings/domain'
import { applyWorkspaceFile, createProvisioner } from '@tidings/provisioning'
import type { WorkspaceFile } from '@tidings/provisioning/workspace-file'
import { untilVisible } from '@tidings/service/read-side'
import type { Stores } from '@tidings/service/stores'

const DEMO: WorkspaceFile = {
  workspace: { slug: 'demo', name: 'Demo', plan: 'free' },
  apiKeys: [{ name: 'demo' }],
  senderDomains: [{ domain: 'demo.example', verified: true }],
  senderAddresses: [{ email: 'hello@demo.example', name: 'Demo', verified: true }],
  templates: [
    {
      name: 'welcome',
      channel: 'email',
      subject: 'Welcome, {{firstName|there}}',
      html: '<p>Hello {{firstName|there}}, your code is <b>{{code}}</b>.</p>',
    },
  ],
}

const VISIBLE_MS = 10_000

/** The key is only known on the first run. */
export type Demo = Readonly<{ slug: string; fromEmail: string; key: string }>

/** Creates the demo workspace where there is none yet; null on every later run. */
export async function createDemo(stores: Stores): Promise<Demo | null> {
  const provisioner = createProvisioner(createCommandRunner({ log: stores.log }))
  const { slug } = DEMO.workspace
  const id = workspaceIdOf(slug)
  const known = await provisioner.load(id, workspace, workspaceStream(id))
  if (known.exists) return null
  const { applied } = await applyWorkspaceFile(provisioner, DEMO)
  // The key that is printed works at once. A read side that is late does not delay the start further.
  await untilVisible(stores.pool, provisioner.last(), { timeoutMs: VISIBLE_MS })
  const key = applied.apiKeys[0]?.key
  return key === undefined ? null : { slug, fromEmail: 'hello@demo.example', key }
}

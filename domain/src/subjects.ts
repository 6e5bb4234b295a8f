import { connectorsStream } from './connector/connectors.ts'
import { contactStream } from './contact/contact.ts'
import { asContactId, asMessageId, type WorkspaceId } from './ids.ts'
import { messageStream } from './message/message.ts'
import { senderIdsStream } from './sender-id/sender-ids.ts'
import { userStream } from './user/user.ts'
import { walletStream } from './wallet/wallet.ts'
import { webhooksStream } from './webhooks/webhooks.ts'
import { workspaceStream } from './workspace/workspace.ts'

const streams: Readonly<Record<string, (workspaceId: WorkspaceId, id: string) => string>> = {
  connector: connectorsStream,
  contact: (workspaceId, id) => contactStream(workspaceId, asContactId(id)),
  dkim: workspaceStream,
  user: userStream,
  webhook: webhooksStream,
  sender: workspaceStream,
  senderid: senderIdsStream,
  wallet: walletStream,
  passcode: (workspaceId, id) => messageStream(workspaceId, asMessageId(id)),
}

/** The stream with the first event about a data subject such as `contact:<id>`; null for an undeclared kind of subject. */
export function subjectStream(workspaceId: WorkspaceId, subject: string): string | null {
  const [kind = '', ...id] = subject.split(':')
  return Object.hasOwn(streams, kind) ? (streams[kind]?.(workspaceId, id.join(':')) ?? null) : null
}

import type { ContentStore } from '@tidings/codec'
import type { CommandRunner, ContactPoints } from '@tidings/commands'
import type { Profile } from '@tidings/contracts'
import type { Directory } from '@tidings/directory'
import type { EmailContent } from '@tidings/domain'
import type { ReadSide } from '@tidings/projections'

/** What the write routes stand on; the wiring file builds it once. */
export type Dependencies = Readonly<{
  commands: CommandRunner
  contactPoints: ContactPoints
  /** What a decision reads beside its own stream. */
  directory: Directory
  contents: ContentStore<EmailContent>
  readSide: Pick<ReadSide, 'wait'>
  /** The profile as the read side shows it now; null where it shows none. */
  findProfile: (workspaceId: string, contactId: string) => Promise<Profile | null>
  /** The server's clock: ISO 8601, UTC, milliseconds. */
  now: () => string
}>

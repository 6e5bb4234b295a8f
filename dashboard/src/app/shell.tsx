import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { paths } from '../paths.ts'
import { Loading } from '../ui/loading.tsx'
import { Problem } from '../ui/problem.tsx'
import { isAnythingUnsaved } from '../ui/use-unsaved.ts'
import { NotFound } from './error-pages.tsx'
import { Find } from './find.tsx'
import { Frame } from './frame.tsx'
import { useWorkspaceEntries } from './navigation.tsx'
import { sessionQuery, useSlug } from './session.ts'

/** The pages of a workspace. An address of another workspace is one that does not exist; a form that holds what somebody typed stays until they leave it. */
export function Shell() {
  const slug = useSlug()
  const [isFinding, finding] = useDisclosure(false)
  const { data: session, error, refetch } = useQuery(sessionQuery)
  const entries = useWorkspaceEntries(session)
  if (session === undefined && error) return <Problem error={error} onRetry={() => void refetch()} />
  if (session === undefined) return <Loading />
  if (session.workspace?.slug !== slug && !isAnythingUnsaved()) return <NotFound />
  return (
    <Frame
      session={session}
      name={slug}
      home={paths.overview(slug)}
      entries={entries}
      onFind={finding.open}
      find={<Find opened={isFinding} onOpen={finding.open} onClose={finding.close} />}
    />
  )
}

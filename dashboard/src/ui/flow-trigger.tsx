import { Link } from 'react-router'
import type { ListedFlow } from '../api/calls.ts'
import { useSlug } from '../app/session.ts'
import { paths } from '../paths.ts'
import { useWords } from '../words/words.tsx'

/** What lets people into a flow. */
export function FlowTrigger({ trigger: { type, list, event } }: Readonly<{ trigger: ListedFlow['trigger'] }>) {
  const { flows: words, lists } = useWords()
  const slug = useSlug()
  return (
    <>
      {words.triggers[type]}
      {list && (
        <>
          {' '}
          <Link to={paths.list(slug, list.id)}>
            <bdi>{list.name ?? lists.title}</bdi>
          </Link>
        </>
      )}
      {event !== null && (
        <>
          {' '}
          <bdi>{event}</bdi>
        </>
      )}
    </>
  )
}

import type { Rule } from '@tidings/domain'
import { Link } from 'react-router'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { useWords } from '../../words/words.tsx'
import { Problem } from '../problem.tsx'
import { useCount } from './use-count.ts'

/** How many the rule matches and ten of them, while it is written. */
export function RuleMatches({ rule }: Readonly<{ rule: Rule | null }>) {
  const { rules: words, messages } = useWords()
  const slug = useSlug()
  const { count, error } = useCount(rule)
  const said = (): string => {
    if (rule === null) return words.noRule
    if (count === null) return words.counting
    if (count.isDone) return words.exact(count.matches, count.looked)
    return words.estimate(Math.round((count.matches / Math.max(1, count.looked)) * count.total), count.looked, count.total)
  }
  return (
    <>
      {error ? <Problem error={error} /> : <p role="status">{said()}</p>}
      {rule !== null && count !== null && count.people.length > 0 && (
        <ul aria-label={words.someOfThem}>
          {count.people.map(({ id, name }) => (
            <li key={id}>
              <Link to={paths.profile(slug, id)}>
                <bdi>{name ?? messages.unnamed}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

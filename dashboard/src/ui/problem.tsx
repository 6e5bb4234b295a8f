import { Alert, Button } from '@mantine/core'
import { ApiProblem } from '../api/client.ts'
import { isTemporary } from '../api/polling.ts'
import type { Words } from '../words/en.ts'
import { useWords } from '../words/words.tsx'
import { CopyId } from './copy.tsx'
import styles from './problem.module.css'

/** Only what the service itself says has a request id: where it is away, a gateway may answer. */
function adviceFor(error: ApiProblem, { problem }: Words): string | null {
  const { status, requestId } = error
  if (isTemporary(error) && requestId === null) return problem.offline
  if (status === 403) return problem.forbidden
  if (status === 404) return problem.gone
  if (status === 429) return problem.slower
  return status >= 500 ? problem.later : null
}

/** What the API said, what to do, and by what an operator finds it. A part that failed does not take the page. `onRetry` asks again for what is shown: the page does so by itself too (app/ask-again.ts). */
export function Problem({ error, onRetry }: Readonly<{ error: Error; onRetry?: () => void }>) {
  const words = useWords()
  const problem = error instanceof ApiProblem ? error : null
  const advice = problem && adviceFor(problem, words)
  return (
    <Alert variant="default" className={styles.problem} title={words.problem.title} role="alert">
      <p lang="en" dir="ltr">
        {error.message}
      </p>
      {advice && <p>{advice}</p>}
      {onRetry && isTemporary(error) && <p>{words.problem.again}</p>}
      <div className={styles.row}>
        {onRetry && (
          <Button variant="default" size="compact-sm" onClick={onRetry}>
            {words.problem.retry}
          </Button>
        )}
        {problem?.requestId && (
          <span>
            {words.problem.requestId} <CopyId id={problem.requestId} />
          </span>
        )}
      </div>
    </Alert>
  )
}

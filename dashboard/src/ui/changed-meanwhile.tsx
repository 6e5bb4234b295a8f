import { Alert, Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ApiProblem } from '../api/client.ts'
import { useWords } from '../words/words.tsx'
import { Time } from './time.tsx'

type Props = Readonly<{ problem: ApiProblem; onTake: () => void; onKeep: () => void; children: ReactNode }>

/** Somebody else saved it meanwhile: who and when, what it is now, and the choice. */
export function ChangedMeanwhile({ problem: { by, at }, onTake, onKeep, children }: Props) {
  const { ui } = useWords()
  return (
    <Alert variant="default" role="alert" title={ui.meanwhile}>
      {by !== null && (
        <p>
          <bdi dir="ltr">{by}</bdi> · <Time at={at} />
        </p>
      )}
      {children}
      <Group mt="md">
        <Button variant="default" onClick={onTake}>
          {ui.takeTheirs}
        </Button>
        <Button onClick={onKeep}>{ui.keepMine}</Button>
      </Group>
    </Alert>
  )
}

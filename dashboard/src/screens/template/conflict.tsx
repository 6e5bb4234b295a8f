import { Alert, Button, Group } from '@mantine/core'
import type { EditedTemplate } from '../../api/calls.ts'
import { CodeDifference } from '../../ui/code-editor.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { asText, type Draft, draftOf } from './draft.ts'

type Props = Readonly<{ theirs: EditedTemplate; mine: Draft; pending: boolean; onTheirs: () => void; onMine: () => void }>

/** Somebody else has saved meanwhile: both are shown, and one is chosen. */
export function Conflict({ theirs, mine, pending, onTheirs, onMine }: Props) {
  const { template: words } = useWords()
  const { channel, content, changedAt, changedBy } = theirs
  return (
    <Alert variant="default" role="alert" title={words.meanwhile}>
      <p>
        {words.meanwhileBy} <bdi dir="ltr">{changedBy}</bdi>, <Time at={changedAt} />. {words.meanwhileHelp}
      </p>
      <CodeDifference before={asText(channel, draftOf(content))} after={asText(channel, mine)} label={words.difference}>
        <Group mt="md">
          <Button variant="default" onClick={onTheirs}>
            {words.takeTheirs}
          </Button>
          <Button loading={pending} onClick={onMine}>
            {words.saveMine}
          </Button>
        </Group>
      </CodeDifference>
    </Alert>
  )
}

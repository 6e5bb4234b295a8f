import { Button, Group } from '@mantine/core'
import { useWords } from '../words/words.tsx'

type Props = Readonly<{ offset: number; limit: number; shown: number; total: number; hasMore: boolean; onMove: (offset: number) => void }>

/** Which rows are shown, of how many, and the ways to the others. */
export function Pager({ offset, limit, shown, total, hasMore, onMove }: Props) {
  const { ui } = useWords()
  return (
    <Group gap="sm">
      <span>{ui.range(shown === 0 ? 0 : offset + 1, offset + shown, total)}</span>
      <Button variant="default" size="compact-sm" disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - limit))}>
        {ui.previous}
      </Button>
      <Button variant="default" size="compact-sm" disabled={!hasMore} onClick={() => onMove(offset + limit)}>
        {ui.next}
      </Button>
    </Group>
  )
}

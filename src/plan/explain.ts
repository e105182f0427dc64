/**
 * A lineage as text, leaves last: one line a node, indented by depth, with stages cut where rows cross a shuffle.
 * A dataset that several others use is printed once and referred to afterwards.
 */
import { dependenciesOf, type PlanNode } from './lineage.js';

export function explainNode(root: PlanNode, isCached: (nodeId: number) => boolean): string {
  const lines: string[] = [];
  const printed = new Set<number>();
  let stageCount = 1;
  const stack: {
    readonly node: PlanNode;
    readonly depth: number;
    readonly stage: number;
    readonly prefix: string;
  }[] = [{ node: root, depth: 0, stage: 0, prefix: '' }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { node, depth, stage, prefix } = top;
    const indent = '  '.repeat(depth);
    const again = printed.has(node.id) ? ' (see above)' : '';
    lines.push(`${indent}${prefix}${describe(node, isCached(node.id))}, stage ${stage}${again}`);
    if (again !== '') continue;
    printed.add(node.id);
    if (node.kind === 'procedure') {
      for (const line of node.describe()) lines.push(`${indent}  | ${line}`);
    }
    const children = dependenciesOf(node).map((dependency) => {
      const crosses = dependency.kind === 'shuffle' || node.kind === 'procedure';
      return {
        node: dependency.parent,
        // A chain of narrow steps is not indented: only what branches or crosses an exchange is.
        depth: crosses || node.kind === 'cogroup' || node.kind === 'union' ? depth + 1 : depth,
        stage: crosses ? stageCount++ : stage,
        prefix:
          dependency.kind === 'shuffle'
            ? `shuffle by ${SHUFFLE_KEYS[dependency.key]} into ${dependency.partitionCount} partitions${dependency.mapSteps.isEmpty() ? '' : ', combined before'} ← `
            : node.kind === 'cogroup'
              ? 'in place (equal partitioner) ← '
              : '',
      };
    });
    for (const child of children.reverse()) stack.push(child);
  }
  return lines.join('\n');
}

const SHUFFLE_KEYS = { first: 'key', row: 'row', none: 'turn' } as const;

function describe(node: PlanNode, cached: boolean): string {
  const partitioner = node.partitioner === undefined ? '' : `, hash partitioner`;
  const detail = node.detail === '' ? '' : ` ${node.detail}`;
  return `${node.operation}${detail} [${node.id}] ${node.partitionCount} partitions${partitioner}${cached ? ', cached' : ''}`;
}

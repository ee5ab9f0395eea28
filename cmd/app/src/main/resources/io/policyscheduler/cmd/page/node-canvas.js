// Nodes as squares in groups, drawn on one canvas, so that thousands cost no more than a few.

const GAP = 2;
const HEAD = 22;
const LARGEST = 44;
const SMALLEST = 8;
const STEPS = 10;

/** Where each square is: groups below each other, as large as the space allows. */
export function layout(groups, width, roomy) {
  const nodes = groups.reduce((sum, group) => sum + group.nodes.length, 0);
  let size = LARGEST;
  while (size > SMALLEST && height(groups, width, size) > roomy && nodes > 0) {
    size -= 2;
  }
  const columns = Math.max(1, Math.floor(width / (size + GAP)));
  const cells = [];
  const heads = [];
  let y = 0;
  for (const group of groups) {
    heads.push({text: group.title, y: y + HEAD - 7});
    y += HEAD;
    group.nodes.forEach((node, i) => cells.push({node, x: (i % columns) * (size + GAP), y: y + Math.floor(i / columns) * (size + GAP), group: group.title}));
    y += Math.ceil(group.nodes.length / columns) * (size + GAP) + 4;
  }
  return {cells, heads, size, columns, height: y};
}

function height(groups, width, size) {
  const columns = Math.max(1, Math.floor(width / (size + GAP)));
  return groups.reduce((sum, group) => sum + HEAD + 4 + Math.ceil(group.nodes.length / columns) * (size + GAP), 0);
}

/** Colours of the style, from nothing free to all free, and those for text and for nodes that take no pods. */
export function palette() {
  const style = getComputedStyle(document.documentElement);
  const value = name => style.getPropertyValue(name).trim();
  return {
    steps: Array.from({length: STEPS + 1}, (unused, i) => value(`--free-${i}`)),
    text: value('--text'), accent: value('--accent'), none: value('--line'), trouble: value('--lost'),
  };
}

/** share(node) from 0 to 1, null for a node without the resource. */
export function draw(canvas, plan, colours, share, selected) {
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(plan.height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(plan.height * ratio);
    canvas.style.setProperty('height', `${plan.height}px`);
  }
  const pen = canvas.getContext('2d');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, plan.height);
  pen.fillStyle = colours.text;
  pen.font = '13px system-ui, sans-serif';
  plan.heads.forEach(head => pen.fillText(head.text, 0, head.y));
  for (const cell of plan.cells) {
    const free = share(cell.node);
    pen.fillStyle = free === null ? colours.none : colours.steps[Math.round(Math.min(1, Math.max(0, free)) * STEPS)];
    pen.fillRect(cell.x, cell.y, plan.size, plan.size);
    if (cell.node.trouble !== '') {
      pen.strokeStyle = colours.trouble;
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.moveTo(cell.x + 1, cell.y + 1);
      pen.lineTo(cell.x + plan.size - 1, cell.y + plan.size - 1);
      pen.stroke();
    }
    if (cell.node.name === selected) {
      pen.strokeStyle = colours.accent;
      pen.lineWidth = 3;
      pen.strokeRect(cell.x - 0.5, cell.y - 0.5, plan.size + 1, plan.size + 1);
    }
  }
}

/** The index of the square at a point; -1 when there is none. */
export function at(plan, x, y) {
  return plan.cells.findIndex(cell => x >= cell.x && x < cell.x + plan.size + GAP && y >= cell.y && y < cell.y + plan.size + GAP);
}

/** The index of the square to which an arrow key leads from another one. */
export function step(plan, from, key) {
  const last = plan.cells.length - 1;
  switch (key) {
    case 'ArrowRight': return Math.min(last, from + 1);
    case 'ArrowLeft': return Math.max(0, from - 1);
    case 'Home': return 0;
    case 'End': return last;
    case 'ArrowUp':
    case 'ArrowDown': return nearest(plan, from, key === 'ArrowDown');
    default: return from;
  }
}

function nearest(plan, from, down) {
  const start = plan.cells[from];
  let best = from;
  let distance = Infinity;
  plan.cells.forEach((cell, i) => {
    const dy = down ? cell.y - start.y : start.y - cell.y;
    if (dy > 0 && dy * 1000 + Math.abs(cell.x - start.x) < distance) {
      distance = dy * 1000 + Math.abs(cell.x - start.x);
      best = i;
    }
  });
  return best;
}

// Elements, made of tags, attributes and children. Text becomes text nodes, never markup.

const SVG = 'http://www.w3.org/2000/svg';
const DRAWN = new Set(['svg', 'g', 'path', 'rect', 'line', 'text']);

export function h(tag, attributes, ...children) {
	const element = DRAWN.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
	for (const [name, value] of Object.entries(attributes ?? {})) {
		if (present(value)) {
			element.setAttribute(name, value === true ? '' : value);
		}
	}
	element.append(...children.flat(Infinity).filter(present));
	return element;
}

function present(value) {
	return value !== undefined && value !== null && value !== false;
}

/** Give an element these children. Those that it has already stay, with focus and scroll position. */
export function show(parent, ...children) {
	const wanted = parent.cloneNode(false);
	wanted.append(...children.flat(Infinity).filter(present));
	morph(parent, wanted);
}

function morph(now, wanted) {
	const children = [...wanted.childNodes];
	children.forEach((child, place) => {
		let there = now.childNodes[place];
		if (child.id && there?.id !== child.id) {
			const moved = [...now.children].find((sibling) => sibling.id === child.id);
			if (moved) {
				now.insertBefore(moved, there);
				there = moved;
			}
		}
		if (!there) {
			now.append(child);
		}
		else if (there.nodeName !== child.nodeName || there.id !== child.id) {
			there.replaceWith(child);
		}
		else if (child.nodeType === Node.TEXT_NODE) {
			if (there.data !== child.data) {
				there.data = child.data;
			}
		}
		else {
			adopt(there, child);
			morph(there, child);
		}
	});
	while (now.childNodes.length > children.length) {
		now.lastChild.remove();
	}
}

function adopt(now, wanted) {
	for (const { name } of [...now.attributes]) {
		if (!wanted.hasAttribute(name) && name !== 'open') { // the reader opened it
			now.removeAttribute(name);
		}
	}
	for (const { name, value } of wanted.attributes) {
		if (now.getAttribute(name) !== value) {
			now.setAttribute(name, value);
		}
	}
}

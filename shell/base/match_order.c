/*
 * Numbers the groups of a tree anew, with groups that the user does not see.
 *
 * Where a text can be divided among the parts of a pattern in several ways, each part from left to
 * right takes as much as it can. match_sim.c decides that by comparing captures in the order of
 * their numbers, so what repeats outside of any group (the * of `*-@(*)`) gets a capture too. A map
 * tells where the user's groups went. Repeats in repeats need none: only their last turn would be
 * compared.
 *
 * Where the shortest is wanted, threads are preferred in the order of the code, so the alternatives
 * that can take the least come first.
 */
#include "shell/base/match_internal.h"

#include <string.h>

enum { LEAST_MAX = 1 << 16 }; /* what is longer is all alike */

/* The fewest characters that NODE takes. */
static uint32_t least_of(const struct node *node)
{
    uint64_t least = 0;
    switch ((enum node_kind)node->kind) {
    case NODE_CHAR:
    case NODE_ANY:
    case NODE_SET:
    case NODE_NEST:
        return 1;
    case NODE_SEQ:
    case NODE_GROUP:
        for (const struct node *child = node->child; child && least < LEAST_MAX;
             child = child->next)
            least += least_of(child);
        break;
    case NODE_ALT: /* sorted already */
    case NODE_AND:
        return node->child ? least_of(node->child) : 0;
    case NODE_REPEAT:
        least = node->min > 0 ? (uint64_t)node->min * least_of(node->child) : 0;
        break;
    default:
        break;
    }
    return least < LEAST_MAX ? (uint32_t)least : LEAST_MAX;
}

/* The first COUNT branches of LIST by MIN, those that are alike in their order; LIST moves behind
 * them. */
static struct node *sort_branches(struct node **list, size_t count)
{
    if (count == 1) {
        struct node *only = *list;
        *list = only->next;
        only->next = NULL;
        return only;
    }
    struct node *first = sort_branches(list, count / 2);
    struct node *second = sort_branches(list, count - count / 2);
    struct node *sorted = NULL, **link = &sorted;
    while (first && second) {
        struct node **least = second->min < first->min ? &second : &first;
        *link = *least;
        link = &(*least)->next;
        *least = *link;
    }
    *link = first ? first : second;
    return sorted;
}

void order_alternatives(struct node *alt)
{
    size_t count = 0;
    if (!alt || alt->kind != NODE_ALT)
        return;
    for (struct node *branch = alt->child; branch; branch = branch->next, count++)
        branch->min = least_of(branch); /* which nothing else asks of a SEQ or an AND */
    alt->child = sort_branches(&alt->child, count);
}

struct numbering {
    struct parse *ps;
    uint32_t next;
    uint32_t hidden, hidden_max;
};

static void number(struct numbering *n, struct node **link, bool inside, bool covered);

/* The nodes of a list; COVERED: a group around it begins and ends where a sole one does. */
static void number_list(struct numbering *n, struct node **link, bool inside, bool covered)
{
    bool sole = *link && !(*link)->next;
    for (; *link && !n->ps->no_memory; link = &(*link)->next)
        number(n, link, inside, covered && sole);
}

/* Puts a group around the node at *LINK. */
static void wrap(struct numbering *n, struct node **link)
{
    struct node *group = node_new(n->ps, NODE_GROUP);
    if (!group)
        return;
    group->value = n->next++;
    group->child = *link;
    group->next = (*link)->next;
    (*link)->next = NULL;
    *link = group;
    n->hidden++;
}

static void number(struct numbering *n, struct node **link, bool inside, bool covered)
{
    struct node *node = *link;
    uint32_t user = node->value;
    switch ((enum node_kind)node->kind) {
    case NODE_GROUP:
        node->value = n->next++;
        n->ps->group_map[user] = (uint8_t)node->value;
        number_list(n, &node->child, inside, true);
        break;
    case NODE_REPEAT:
        if (!inside && !covered && node->min != node->max && n->hidden < n->hidden_max)
            wrap(n, link);
        node->first_group = n->next;
        number_list(n, &node->child, true, false);
        node->value = n->next;
        break;
    case NODE_SEQ:
        number_list(n, &node->child, inside, covered);
        break;
    case NODE_ALT:
        for (struct node **branch = &node->child; *branch; branch = &(*branch)->next)
            number(n, branch, inside, false);
        break;
    case NODE_AND:
    case NODE_NOT:
    case NODE_LOOK:
        number_list(n, &node->child, true, false);
        break;
    case NODE_BACK: /* its group was closed before, so it has its number */
        node->value = n->ps->group_map[user];
        break;
    default:
        break;
    }
}

void order_groups(struct parse *ps, struct node **root)
{
    if (ps->group_count == 0 || ps->group_count >= MATCH_CAPTURE_MAX || ps->any_lazy)
        return;
    struct numbering n = {
        .ps = ps,
        .next = 1,
        .hidden_max = MATCH_CAPTURE_MAX - 1 - ps->group_count,
    };
    number(&n, root, false, false);
    ps->hidden_groups = n.hidden;
}

"""The paradigms of ERAS, the published 39 and the extended ones, as far as its metrics need them.

Only `.py` files travel with a metric, so these constants stand in code; tests hold them equal to
the tables of `builders/eras/data/`. Source: Li & Hao (2025), section 2.1 and Table 3.
"""

import itertools
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from .columns import BoolArray, IntArray, check_ids, shown
from .option_fields import option, read_collection

ROWS = """
left + - xinji; right - + xinji; left + - xinji; right - + xinji; left + - xinji; right - + xinji;
left + - huiji; right - + huiji; left + - zoulou; right - + zoulou; left + - zoulou;
right - + zoulou; left + - cizhen; right - + cizhen; left + - fucong; right - + fucong;
left + - zuifan; right - + zuifan; right - 0 chuzou; left - 0 qushi youqing nonglai nonglai nonglai
nonglai; right - 0 yijian jiezou jiezou nonglai; left + 0 zhuren liyan; right + 0 lijie;
left + 0 yitu liyan dezi dezi dezi weidao; right + 0 tongyi; left - + 篡改革; right - + 人道歉;
right + - 保守法; left 0 0 执行情; right 0 0 居住宅; left + - 宏大意; left - + 丑闻名;
left + - 精神经; right - + 主动怒; right 0 0 勤劳动 医生涯 得知名 得分量; left 0 0 加大力;
right 0 0 化工程 流水准; left 0 0 军事实; left + - 负责难 zhuren; left 0 0 繁重任; left - + 暴动人;
right - + 上流亡; right + - 发热情; left 0 0 充分享; right 0 0 营业绩; left + - 轻松散;
right - + 人道歉; right 0 0 战胜利; left 0 0 华人文 文学艺 难民事; right 0 0 相关心 流经验;
left 0 0 谴责任 听取消; left + - 嬉戏弄; right 0 0 高价格; left + - 良好战; right 0 0 了解决;
right + - 下流行; left 0 0 完成立; right 0 0 用电话; left - + 空虚心; right - + 主动怒;
left + - xinji 看重担; right 0 0 说来访; left + - 负责难; left 0 0 出动员 采取得; right 0 0 身体验;
left - + 孤独特; left 0 0 画家长 不大理; left + - 严密谋; right 0 0 出生命 创新高 回家乡;
left 0 0 公开发; left - + 践踏实 反感人; right 0 0 同心声 视频道 数学者 好人士 设有机;
left 0 0 变动态; left - + 主动怒; right 0 0 美学子 种类型 品质量; left 0 0 庞大体; left - + 迷信任;
left + - 良好战 庄严重; left 0 0 基地位; left + - 发热情; right 0 0 出具体 协会长 法案件;
left 0 0 内心情; left + - 负责难; right + - 费时尚; left 0 0 推动作 抢夺冠 旅客运 现实在 居民生;
right 0 0 出国门 河流域 富有趣; left 0 0 农家庭; left + - 宏大意; right - + 认可疑;
right 0 0 外资金; right + - 出气魄; left 0 0 果树种 球员工; right 0 0 分解除 造成功 送礼品;
left 0 0 实施工 认证实; left + - 赞叹气; right 0 0 挥手势; left 0 0 特大火; left + - 尊重负;
right 0 0 想起码; left 0 0 轮流派; left - + 主动怒; right 0 0 无畏惧; left 0 0 股市长;
right 0 0 接受理; right + - 享乐趣; right 0 0 士气愤; left 0 0 重大事; right 0 0 管事故 无误会;
left - + 主动怒; right 0 0 起义务; left - + 疏远大; right 0 0 书记录 电报道; left 0 0 银行动;
left + - 优质问; right - + 主动怒; left - + 无能干 罢工整; right + - 发热情; left 0 0 煤矿产;
right 0 0 客人身; left 0 0 加强调; right 0 0 同学员 总结果; left 0 0 占地面; right 0 0 物资源;
left 0 0 落实行 承担任; right 0 0 物品种 外地质 无敌意 女儿童 读书目; left - + 人道歉;
right 0 0 警官兵; left 0 0 个人生; left - + 夸大好; left 0 0 正确认; right 0 0 医学术;
left 0 0 世人造; left + - 庄严重; left 0 0 排水系 在建工 提前进; left - + 贬值得; right 0 0 实证明
展开辟; right - + 好吃力; left 0 0 举办法 良好战 总部门; left - + 夸大好; right 0 0 通道路;
left + - 享受惊; left 0 0 发表演 巨大成 筹集资; right + - 心痛快; left - + 主动怒; left + - 宏大意;
left 0 0 统计数; left - + 毒品味; left 0 0 昂贵重; right 0 0 机电池 作风格; left 0 0 细心切;
right - + 上流亡; right 0 0 工人数 方法院; left - + 擅自主 看重担 赌博大 擅自主; right + - 负责难;
left - + 孤独特; left 0 0 适应当; right 0 0 配方式; left - + 庄严重; right 0 0 运行李 办事情;
left 0 0 犯罪行; right + - 局促进; right 0 0 结合作; left 0 0 勉强度; right 0 0 无理智 儿女婿;
left - + 抢夺冠; left 0 0 驻军官; right 0 0 加紧密; left 0 0 干部队; right 0 0 入学习;
left - + 阴沉着; right + - 发热情; right 0 0 无人事 从小学 上当选 教学生 对手机; left 0 0 下降到
出现在; right 0 0 为主体 不平凡 不停机 曾经商 大赛事 对抗灾 是否定 地震动 会上前 当儿戏 能否认
最高兴 按时下 要点点 对应试 不知晓 能源源 办公益 地步入 人体谅 有利害 为生计 喝茶水 字形容 对象棋
上网球 上来回; left 0 0 客车上 衷心地 适用于 诗人们 天真的 比分为 挽留住 收看到 健身为 首相对
厂家中 小路上 磁带有 肉眼看 院内在 群山中 沉睡着 站台上 为名将 卧室内 榕树上 皮带上;
right 0 0 国人民 人参加 有理想 在读者 不满意 新政策 了结构 共生产 新年度 大功夫 是非法 共建设
人影响 了事态 还清理 得手脚 对联邦 的确实 更深入 上书写 内务必 正在于 过世面 便利用 就学会 下达成
老话题 来历史 着眼睛 去路边 将近期 点名气 被告知 应有所 起身子 难保证 不甘心 国有关 使节日 与会计
起火把 选项目 好手艺 把关税 还给予 将来自; left 0 0 同志在 春节前 发现有 至少有 企业已 外交上
直接到 人口中 团结为 今年头 国家里 产生于 晚饭后 推迟到 亲自给 决赛后 医院里 革命中 批评说 因素有
油田产 供给与 装备有 普遍地 会场外 手术后 专家用 打破旧 邀请来 违背对 今天下 思想来 往年少 列车门
道理会 人类比 游行会; right 0 0 地表彰 在外观 内存放 个性急 大气球 不同步 不安定 地带动 连连长
来讲述 从前人 地上课 照常理 地盘腿 有限度 新型号 有名人 在场地 有效果 不对口 乘客轮 货运往 不明晰
跨国界 后来到 缺口粮 不难受 对流感 内容易; left 0 0 最终于 反正是 节目的 冷战后 脑海里 让位于
一心想 菜地里 从中学 小船上 荒山上 相当地 车主将 拒绝对 生存在 黑夜里 依稀有 即刻有 大连接 成就是
县城里 归还原 业主要 纽带来 开关上 供桌上 海水中 手心里; right 0 0 不符合 国政府 用法律 不适合
天时间 有心理 正经历 地处理 上行驶 以防止 不休息 用作品 新任务 对内地 不配合 上演出 个子女 对敌人
人手中 应考虑 发电子 任职务 下发展 应承诺 钱包括 会展示 白衣服 地主张 成文章 成全国 获奖金 大麻烦
得出来 大脑袋 不解开 点心思 有权力 过错误 作主题 本市场 在职业 新书包 用语言 高台阶 下落叶 地点头
可观赏 后代表 对视觉; left 0 0 极大地 究竟是 坚决不 先后任 文化为 推出新 经常有 森林中 闭幕后
慎重地 看待人 圆满地 立即将 网站上 主任由 避免去 村民办 方向上 选手上 资本来 黑暗中 习惯用 故事由
农村里 成分会 形成长 提高等 和平等 超过上 思考上 比较为 方面对; right 0 0 强行列 在校门 不利索
国外长 写作业 进军营 看病床 大公害 很快乐 着手电 后果断 对外界 将领到 有益处 在座椅 加油门;
left 0 0 投标的 小屋里 一早就 传达到 马上去 包含量 挤出钱 日前来; right 0 0 先生活 自发布 可知道
人称为 应得到 有情况 前提出 回乡下 外公布 对比赛 到手里 开机器 从头顶 中等待 使出版 起降低 如愿意
保重点; left 0 0 大选中 声明说 一直到 观众将 天生就 总统称 双方可 结婚前 描写成 厂长处 土地租
声音像 男人间
"""
"""Branching, true and canary sentiment, families; in the order of the ids, published ones first."""
STRINGS = """
left:和尚未 right:人参与 right:对方向 left:从小学 right:早上学 left:晚上课 right:会长大
left:新人才 right:对面积 left:对面积 right:对手下 left:对手下 right:对手下 right:将军用
right:市长江 left:课本来 right:课本来 left:对面积 left:对面积 left:对面积 right:地上来
left:地下来 right:地道出 left:地主持 right:地主持 left:地区分 left:不过分 left:人口中
right:从中学 left:在家长 right:早上学 left:早上学 right:上当时 left:在家长 right:当天气
left:当年轻 left:当中心 right:对面积 left:对面积 right:当初中 left:当作家 right:以为人
left:为难得 left:和解放 right:与其他 right:还好人 right:分工作 right:发现金 right:将来信
left:以前往 right:上当时 left:上当时 left:对象牙 right:对象牙 left:晚上课 right:将来信
right:对手下 left:和服装 left:大海带 left:好心得 left:关门前
"""
"""Strings with two readings, in the order of their ids: branching of the test, then family."""


class Paradigm(NamedTuple):
    """One minimal-pair paradigm.

    `branching` is left where the first two characters of the test site are the true word.
    `family` names the paradigms that share a true or canary word, directly or through others. Some
    of the extended ones have no true sentiment (`0`). `is_exact_pair`: test and control differ in
    the test site only. `is_occlusion_degenerate`: they differ in the occluded character only.
    `has_two_readings`: the control has the same site, which is cut the other way there.
    """

    paradigm_id: int
    branching: Literal["left", "right"]
    true_sentiment: Literal["+", "0", "-"]
    canary_sentiment: Literal["+", "0", "-"]
    family: str
    is_exact_pair: bool
    is_occlusion_degenerate: bool
    has_two_readings: bool = False

    @property
    def sentiment(self) -> str:
        """True and canary sentiment as the paper writes them, such as `+/-`."""
        return f"{self.true_sentiment}/{self.canary_sentiment}"


LISTED = """
inexact: 36
degenerate: 7 21 22 30 31 38
not_a_clause: 9 30 33
globally_ambiguous: 16
arguably_ambiguous: 7 8 9 10 12 14 15 19 21 23 24 25 28 29 32 33 34
control_ill_formed: 33
control_keeps_true_word: 7 21 22 30 31 36 38
extended:
two_readings:
true_word_not_in_as: 11 28
true_word_not_in_cityu: 3 7 11 21 23 28 35 36 37
true_word_not_in_msr: 2 4 6 7 10 11 12 14 23 28 30 35 36 37
true_word_not_in_pku: 5 7 10 11 12 14 17 19 22 23 24 25 28 29 30 35 36 37
canary_word_not_in_as: 12
canary_word_not_in_cityu: 4 8 12 20 22 23 24 25 27 28 31 34 35
canary_word_not_in_msr: 1 3 5 8 9 11 12 13 20 22 23 24 25 27 28 29 31 34 35 37
canary_word_not_in_pku: 6 8 9 11 12 13 18 20 22 23 24 25 27 28 29 31 34 35 37
"""
"""Groups of the published paradigms; lexicons are the training sets of the Bakeoff 2005."""
_ROWS = (line.partition(":") for line in LISTED.strip().split("\n"))
GROUPS = {name: tuple(map(int, ids.split())) for name, _, ids in _ROWS}
"""Paradigms that `exclude` takes by a name; the two without ids here are told from `ROWS`."""
N_PARADIGMS = 39


def _every_paradigm() -> Iterator[Paradigm]:
    ids = itertools.count(1)
    for words in map(str.split, ROWS.split(";")):
        branching, true, canary = (cast(Any, word) for word in words[:3])
        for family, i in zip(words[3:], ids, strict=False):
            flags = (i not in GROUPS["inexact"], i in GROUPS["degenerate"])
            yield Paradigm(i, branching, true, canary, family, *flags)
    for word in STRINGS.split():
        branching, family = cast(Any, word.split(":"))
        yield Paradigm(next(ids), branching, "0", "0", family, False, False, True)


EVERY_PARADIGM = tuple(_every_paradigm())
"""The published, the extended, strings with two readings; a paradigm's place is its id less 1."""
PARADIGMS = EVERY_PARADIGM[:N_PARADIGMS]
LAST_ID = len(EVERY_PARADIGM)
GROUPS["extended"] = tuple(range(N_PARADIGMS + 1, LAST_ID - len(STRINGS.split()) + 1))
GROUPS["two_readings"] = tuple(p.paradigm_id for p in EVERY_PARADIGM if p.has_two_readings)
FAMILIES = np.array([paradigm.family for paradigm in EVERY_PARADIGM])
HAS_SENTIMENT: BoolArray = np.array([paradigm.true_sentiment != "0" for paradigm in EVERY_PARADIGM])
SITE_LENGTH = 3  # characters in which test and control differ


def read_excluded(where: str, exclude: Any) -> tuple[int, ...]:
    """Sorted ids of the paradigms to leave out; a ValueError that begins with `where` otherwise."""
    expected = f"paradigm ids from 1 to {LAST_ID} or names of groups, such as [36, 'degenerate']"
    found: set[int] = set()
    for given in read_collection(where, exclude, f"a list of {expected}"):
        is_number = isinstance(given, int | np.integer) and not isinstance(given, bool)
        if isinstance(given, str) and given in GROUPS:
            found |= set(GROUPS[given])
        elif is_number and 1 <= given <= LAST_ID:
            found.add(int(given))
        else:
            names = f"; groups are {', '.join(GROUPS)}" if isinstance(given, str) else ""
            raise ValueError(f"{where}, got {shown(given)}; expected a list of {expected}{names}")
    return tuple(sorted(found))


def exclude_option() -> Any:
    """Field `exclude` of a metric's options."""
    return option(
        (),
        "paradigms to leave out",
        read=read_excluded,
        expected="a list of paradigm ids or names of groups of them",
    )


def cluster_option() -> Any:
    """Field `cluster` of a metric's options: what was sampled together; see `decided_cluster`."""
    return option(
        None,
        "what the intervals are about; a family is the paradigms that share a word",
        choices=("family", "paradigm"),
        none="family, or paradigm with mode='paper'",
    )


def decided_cluster(cluster: str | None, mode: str) -> str:
    """Cluster of the intervals where the option leaves it to the mode."""
    return cluster or ("paradigm" if mode == "paper" else "family")


def check_one_script(
    where: str, paradigm_ids: Sequence[int], tests: Sequence[str], starts: Sequence[int]
) -> None:
    """Raises a ValueError where pairs of one paradigm have different sites: two scripts at once.

    Both configs hold the same pairs, so that scoring them together counts everything twice.
    """
    sites: dict[int, str] = {}
    for i, (paradigm_id, test, start) in enumerate(zip(paradigm_ids, tests, starts, strict=True)):
        site = test[start : start + SITE_LENGTH]
        if sites.setdefault(paradigm_id, site) != site:
            got = f"the site {site} beside {sites[paradigm_id]} of paradigm {paradigm_id}"
            expected = "one script, simplified or traditional"
            raise ValueError(f"{where}[{i}]: got {got}; expected {expected}")


def check_distinct(where: str, ids: Sequence[str] | None, tests: Sequence[str]) -> None:
    """Raises a ValueError where an `id` occurs twice; warns where sentences do."""
    if ids is not None:
        check_ids(where, ids)
    elif n_again := len(tests) - len(set(tests)):
        said = f"{n_again} sentences more than once; each counts as often as it occurs"
        warnings.warn(f"{where}: got {said}", stacklevel=2)


def kept_of(where: str, paradigm_ids: IntArray, exclude: Sequence[int]) -> BoolArray:
    """Which pairs are of no excluded paradigm, shape (n,); a ValueError where none is."""
    is_kept = ~np.isin(paradigm_ids, exclude)
    if not is_kept.any():
        got = f"{list(exclude)}, which leaves no pair; expected at least one paradigm to remain"
        raise ValueError(f"{where}: exclude, got {got}")
    return is_kept


def groups_of(
    paradigm_ids: IntArray, attribute: str, values: Sequence[str] = ()
) -> list[tuple[str, BoolArray]]:
    """Values of an attribute of paradigms that occur, in order, and which paradigms have each."""
    labels = np.array([getattr(EVERY_PARADIGM[i - 1], attribute) for i in paradigm_ids])
    found = sorted(set(labels.tolist()), key=values.index if values else None)
    return [(value, labels == value) for value in found]


def cluster_index(paradigm_ids: IntArray, cluster: str | None) -> IntArray:
    """Cluster of each paradigm, shape (c,), each once, as 0, 1, ...; a family shares a word."""
    labels = FAMILIES[paradigm_ids - 1] if cluster == "family" else paradigm_ids
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
